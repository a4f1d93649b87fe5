import type { LogRecord } from '../log.ts'
import { Malformed } from './malformed.ts'
import { batchLimits, hasLogAppendTime, type OpenBatch } from './record-batch.ts'
import { VarintReader } from './varint-reader.ts'

const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

/** Limits of the headers of a record; further headers are ignored. */
const headerLimits = { headers: 100, bytes: 64 << 10 } as const

const wrongCount = 'The batch has more records than it declares'
const tooManyRecords = `The batch has more than ${batchLimits.records} records`

/** Reads the records of a batch sequentially. */
export class RecordCursor {
  readonly #open: OpenBatch
  readonly #topic: string
  readonly #partition: number
  readonly #reader: VarintReader
  #read = 0
  #nextOffset: number

  constructor(open: OpenBatch, { topic, partition }: { readonly topic: string; readonly partition: number }) {
    this.#open = open
    this.#topic = topic
    this.#partition = partition
    this.#reader = new VarintReader(open.bytes)
    this.#nextOffset = open.batch.firstOffset
  }

  /**
   * Returns the next record, or null at the end of the batch. A record that cannot be read has a `defect`; if its
   * length is damaged, or the batch has too many records, the defect covers all further records of the batch.
   */
  next(): LogRecord | null {
    const { batch, bytes } = this.#open
    if (this.#nextOffset > batch.lastOffset) return null
    if (this.#read >= batch.count) return this.#reader.at < bytes.length ? this.#restDefect(wrongCount) : null
    if (this.#read++ >= batchLimits.records) return this.#restDefect(tooManyRecords)
    let end: number
    try {
      end = this.#reader.lengthPrefixedEnd(bytes.length)
    } catch (error) {
      return this.#restDefect(messageOf(error))
    }
    const record = this.#readRecord(end)
    this.#reader.at = end
    this.#nextOffset = record.offset + 1
    return record
  }

  #readRecord(end: number): LogRecord {
    const { batch } = this.#open
    const reader = this.#reader
    let offset = this.#nextOffset
    let timestampMs = hasLogAppendTime(batch) ? batch.maxTimestampMs : batch.firstTimestampMs
    try {
      // Attributes of the record, which Kafka does not use.
      reader.at++
      const timestampDelta = reader.signed(end)
      if (!hasLogAppendTime(batch)) timestampMs += timestampDelta
      const ownOffset = batch.firstOffset + reader.signed(end)
      if (ownOffset < offset || ownOffset > this.#maxOffset())
        throw new Malformed('The offset of the record is damaged')
      offset = ownOffset
      const key = reader.bytes(end)
      const value = reader.bytes(end)
      const headers = readHeaders(reader, end)
      const place = { topic: this.#topic, partition: this.#partition, offset, timestampMs }
      const keyText = key === null ? null : key.toString()
      if (value !== null) return { ...place, key: keyText, value, headers }
      return { ...place, key: keyText, value: noBytes, headers, defect: { kind: 'tombstone', firstOffset: offset } }
    } catch (error) {
      return this.#defect(offset, offset, messageOf(error), timestampMs)
    }
  }

  /** Returns the largest valid offset of the current record: each further record needs an offset of its own. */
  #maxOffset(): number {
    const { firstOffset, lastOffset, count } = this.#open.batch
    const further = Math.min(count, lastOffset - firstOffset + 1) - this.#read
    return lastOffset - Math.max(0, further)
  }

  #restDefect(message: string): LogRecord {
    const { batch } = this.#open
    const first = this.#nextOffset
    this.#nextOffset = batch.lastOffset + 1
    return this.#defect(first, batch.lastOffset, message, batch.maxTimestampMs)
  }

  #defect(firstOffset: number, offset: number, message: string, timestampMs: number): LogRecord {
    return defectiveRecord(
      { topic: this.#topic, partition: this.#partition, offset },
      { firstOffset, message, timestampMs },
    )
  }
}

const noBytes = Buffer.alloc(0)

/** Creates a record that replaces the unreadable offsets from `firstOffset` to its own. */
export function defectiveRecord(
  place: Pick<LogRecord, 'topic' | 'partition' | 'offset'>,
  {
    firstOffset,
    message,
    timestampMs,
  }: { readonly firstOffset: number; readonly message: string; readonly timestampMs: number },
): LogRecord {
  const defect = { kind: 'undecodable', firstOffset, message } as const
  return { ...place, key: null, value: noBytes, headers: noHeaders, timestampMs, defect }
}

/** Reads the first value of each name as a string; null becomes an empty string. */
function readHeaders(reader: VarintReader, end: number): Readonly<Record<string, string>> {
  const count = reader.signed(end)
  if (count <= 0) return noHeaders
  const headers: [string, string][] = []
  const endOfLimit = Math.min(end, reader.at + headerLimits.bytes)
  for (let index = 0; index < Math.min(count, headerLimits.headers); index++) {
    const name = reader.bytes(end)
    const value = reader.bytes(end)
    if (reader.at > endOfLimit) break
    if (name !== null) headers.push([name.toString(), value === null ? '' : value.toString()])
  }
  // The first of equal names counts.
  return Object.fromEntries(headers.reverse())
}

function messageOf(error: unknown): string {
  if (error instanceof Malformed) return error.message
  throw error
}
