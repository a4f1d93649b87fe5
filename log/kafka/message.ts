import type { Message } from 'kafkajs'
import type { NewRecord } from '../log.ts'

/** A record as kafkajs sends it, to the partition chosen. */
export function toMessage({ key, value, headers }: NewRecord, partition: number): Message {
  return { key, value, partition, ...(headers === undefined ? {} : { headers: { ...headers } }) }
}

/** About what a record takes in a request. */
export function messageBytes({ key, value, headers }: NewRecord): number {
  const headerBytes = headers === undefined ? 0 : JSON.stringify(headers).length * 2
  return 40 + value.length + (key?.length ?? 0) * 3 + headerBytes
}
