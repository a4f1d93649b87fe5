import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { LogRecord } from '../log.ts'
import { Goals } from '../goals.ts'
import { Pump, type PumpTarget } from '../pump.ts'
import type { BatchMessage } from './fetch-response.ts'
import { Malformed } from './malformed.ts'
import { openBatch, type RawBatch } from './record-batch.ts'
import { defectiveRecord, RecordCursor } from './record-cursor.ts'

/** Limit of compressed bytes that are read ahead of the handler. */
const readAheadBytes = 8 << 20
/** Limits of one call of the handler. */
const batchLimit = { records: 5_000, bytes: 8 << 20 } as const

interface PartitionReaderOptions {
  readonly topic: string
  readonly partition: number
  readonly target: PumpTarget
  /** Called when the partition may be fetched again. */
  readonly onResumable: () => void
}

/**
 * Reads a partition. Fetched batches wait here for the handler, compressed, so that a slow handler delays neither other
 * partitions nor heartbeats. One batch at a time is decompressed, and its records are read when the handler is ready
 * for them.
 */
export class PartitionReader {
  readonly partition: number
  readonly #topic: string
  readonly #pump: Pump
  readonly #onResumable: () => void
  readonly #goals = new Goals()
  readonly #waiting: RawBatch[] = []
  #waitingBytes = 0
  #cursor: RecordCursor | null = null
  /** Next offset to deliver, after the last delivered record: a batch may begin before it. */
  #nextOffset = 0
  #inFlight = false
  #ready = false
  #nextFetch = 0
  /** Next offset that the handler has committed. */
  #doneTo = 0
  #full = false

  constructor({ topic, partition, target, onResumable }: PartitionReaderOptions) {
    this.#topic = topic
    this.partition = partition
    this.#onResumable = onResumable
    this.#pump = new Pump({ next: () => this.#next(), done: () => this.#done() }, target)
  }

  /** Whether the start offset is known and the partition may be fetched. */
  get ready(): boolean {
    return this.#ready
  }

  /** Whether the read-ahead limit is reached, so that the partition is not fetched. */
  get full(): boolean {
    return this.#full
  }

  get stopped(): boolean {
    return this.#pump.stopped
  }

  /** Next offset to request from the broker. */
  get nextFetch(): number {
    return this.#nextFetch
  }

  startAt(offset: number): void {
    this.#nextFetch = offset
    this.#nextOffset = offset
    this.#doneTo = offset
    this.#ready = true
    this.#pump.start()
    this.#checkGoals()
  }

  /** Adds fetched batches that are new. Those that readers skip only move the offset of the next fetch. */
  push(messages: readonly BatchMessage[]): void {
    if (!this.#ready) return
    for (const { rawBatch, isSkipped } of messages) {
      if (rawBatch.lastOffset < this.#nextFetch) continue
      this.#nextFetch = rawBatch.lastOffset + 1
      if (isSkipped) continue
      this.#waiting.push(rawBatch)
      this.#waitingBytes += rawBatch.payload.length
    }
    this.#full = this.#waitingBytes > readAheadBytes
    this.#checkGoals()
    this.#pump.wake()
  }

  /**
   * Records that everything before `nextOffset` is handled, and returns the offset to commit: higher than `nextOffset`
   * if only offsets without records follow (markers of transactions and aborted records).
   */
  done(nextOffset: number): number {
    this.#doneTo = Math.max(this.#doneTo, nextOffset)
    return Math.max(nextOffset, this.skippedTo ?? 0)
  }

  /** Offset to commit if all delivered records are handled and only offsets without records follow; otherwise null. */
  get skippedTo(): number | null {
    if (this.#doneTo < this.#nextOffset || this.#cursor !== null) return null
    const position = this.#waiting[0]?.firstOffset ?? this.#nextFetch
    return position > this.#doneTo ? position : null
  }

  pause(): void {
    this.#pump.pause()
  }

  resume(): void {
    this.#pump.resume()
  }

  /** Resolves when everything before `offset` has been handled. */
  reached(offset: number): Promise<void> {
    const reached = this.#goals.wait(offset)
    this.#checkGoals()
    return reached
  }

  stop(): Promise<void> {
    return this.#pump.stop()
  }

  async #next(): Promise<readonly LogRecord[]> {
    const records: LogRecord[] = []
    const slice = new TimeSlice()
    // Set first, so that no offset counts as reached while records move between fields.
    this.#inFlight = true
    for (let bytes = 0; records.length < batchLimit.records && bytes < batchLimit.bytes;) {
      const record = this.#cursor?.next() ?? null
      if (record === null) {
        if (!(await this.#openNext(records))) break
        if (slice.isOver) await slice.next()
      } else if (record.offset >= this.#nextOffset) {
        this.#add(records, record)
        bytes += record.value.length
      }
    }
    if (records.length === 0) this.#done()
    return records
  }

  #add(records: LogRecord[], record: LogRecord): void {
    records.push(record)
    this.#nextOffset = record.offset + 1
  }

  /**
   * Opens the next batch, or adds a defective record for one that cannot be opened; returns false if no batch is
   * waiting.
   */
  async #openNext(records: LogRecord[]): Promise<boolean> {
    this.#cursor = null
    const [batch] = this.#waiting
    if (!batch) return false
    const { partition } = this
    try {
      this.#cursor = new RecordCursor(await openBatch(batch), { topic: this.#topic, partition })
    } catch (error) {
      // Only an error that each attempt repeats is a defect of the batch. Before a different error is reported, the
      // records read so far are delivered.
      if (!(error instanceof Malformed) && records.length > 0) return false
      if (!(error instanceof Malformed)) throw error
      const { firstOffset, lastOffset: offset, maxTimestampMs: timestampMs } = batch
      const first = Math.max(firstOffset, this.#nextOffset)
      const position = { topic: this.#topic, partition, offset }
      this.#add(records, defectiveRecord(position, { firstOffset: first, message: error.message, timestampMs }))
    }
    this.#waiting.shift()
    this.#waitingBytes -= batch.payload.length
    this.#resumeFetching()
    return true
  }

  #resumeFetching(): void {
    if (!this.#full || this.#waitingBytes >= readAheadBytes / 2) return
    this.#full = false
    this.#onResumable()
  }

  #done(): void {
    this.#inFlight = false
    this.#checkGoals()
  }

  #checkGoals(): void {
    const isIdle = this.#ready && !this.#inFlight && this.#cursor === null && this.#waiting.length === 0
    if (isIdle) this.#goals.reach(this.#nextFetch)
  }
}
