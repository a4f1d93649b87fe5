import type { Message } from 'kafkajs'
import type { NewRecord } from '../log.ts'

/** Converts a record to a message of kafkajs for this partition; in a compacted topic, an empty value is a tombstone. */
export function toMessage({ key, value, headers }: NewRecord, partition: number, isCompacted: boolean): Message {
  const valueOrTombstone = isCompacted && value.length === 0 ? null : value
  return { key, value: valueOrTombstone, partition, ...(headers === undefined ? {} : { headers: { ...headers } }) }
}

/** Approximate bytes of a record in a request. */
export function messageBytes({ key, value, headers }: NewRecord): number {
  const headerBytes = headers === undefined ? 0 : JSON.stringify(headers).length * 2
  return 40 + value.length + (key?.length ?? 0) * 3 + headerBytes
}
