import type { IHeaders, KafkaMessage, Message } from 'kafkajs'
import type { LogRecord, NewRecord } from '../log.ts'

/** A record as kafkajs sends it, to the partition chosen. */
export function toMessage({ key, value, headers }: NewRecord, partition: number): Message {
  return { key, value, partition, ...(headers === undefined ? {} : { headers: { ...headers } }) }
}

/** A record as kafkajs read it. A missing value (a tombstone of another writer) is an empty one. */
export function toRecord(topic: string, partition: number, message: KafkaMessage): LogRecord {
  return {
    topic,
    partition,
    offset: Number(message.offset),
    key: message.key === null ? null : message.key.toString(),
    value: message.value ?? Buffer.alloc(0),
    headers: toHeaders(message.headers),
    timestampMs: Number(message.timestamp),
  }
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

function toHeaders(headers: IHeaders | undefined): Readonly<Record<string, string>> {
  if (headers === undefined) return noHeaders
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)]))
}

function headerText(value: IHeaders[string]): string {
  const first = Array.isArray(value) ? value[0] : value
  return first === undefined ? '' : first.toString()
}

/** About what a record takes in a request. */
export function messageBytes({ key, value, headers }: NewRecord): number {
  const headerBytes = headers === undefined ? 0 : JSON.stringify(headers).length * 2
  return 40 + value.length + (key?.length ?? 0) * 3 + headerBytes
}
