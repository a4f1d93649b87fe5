import type { Message } from 'kafkajs'
import type { NewRecord } from '../log.ts'

/** Converts a record to a message of kafkajs for this partition. */
export function toMessage({ key, value, headers }: NewRecord, partition: number): Message {
  return { key, value, partition, ...(headers === undefined ? {} : { headers: { ...headers } }) }
}

/** Approximate bytes of a record in a request. */
export function messageBytes({ key, value, headers }: NewRecord): number {
  const headerBytes = headers === undefined ? 0 : JSON.stringify(headers).length * 2
  return 40 + value.length + (key?.length ?? 0) * 3 + headerBytes
}
