import type { LogRecord } from '../log.ts'
import { Pump, type Deliver } from '../pump.ts'

/** Limits of reading ahead of a partition, and of one batch. */
const readAhead = { records: 50_000, bytes: 8 << 20 } as const
const batchLimit = { records: 5_000, bytes: 8 << 20 } as const

/**
 * A partition being read: what the fetcher brought waits here for the handler, so that a slow handler holds up neither the other
 * partitions nor the heartbeats.
 */
export class PartitionReader {
  readonly partition: number
  readonly #pump: Pump
  readonly #onRoom: () => void
  readonly #goals: { readonly offset: number; readonly reached: () => void }[] = []
  #waiting: LogRecord[] = []
  #waitingBytes = 0
  #inFlight = false
  #ready = false
  #nextFetch = 0
  /** Next offset after the last record that was delivered. */
  #deliveredTo = 0
  /** Next offset to be read, as the handler has committed it. */
  #doneTo = 0
  #full = false

  constructor(partition: number, deliver: Deliver, onRoom: () => void) {
    this.partition = partition
    this.#onRoom = onRoom
    this.#pump = new Pump({ take: () => this.#take(), done: () => this.#done() }, deliver)
  }

  /** Knows where to read, and may be fetched. */
  get ready(): boolean {
    return this.#ready
  }

  /** Holds enough: not to be fetched for now. */
  get full(): boolean {
    return this.#full
  }

  get stopped(): boolean {
    return this.#pump.stopped
  }

  /** The next offset to ask the broker for. */
  get nextFetch(): number {
    return this.#nextFetch
  }

  startAt(offset: number): void {
    this.#nextFetch = offset
    this.#deliveredTo = offset
    this.#doneTo = offset
    this.#ready = true
    this.#pump.start()
    this.#checkGoals()
  }

  /** Takes fetched records; records that are here already are left out. `nextOffset` is where the fetch ended. */
  push(records: readonly LogRecord[], nextOffset: number): void {
    if (!this.#ready) return
    for (const record of records) {
      if (record.offset < this.#nextFetch) continue
      this.#waiting.push(record)
      this.#waitingBytes += record.value.length
    }
    this.skipTo(nextOffset)
    this.#full = this.#waiting.length > readAhead.records || this.#waitingBytes > readAhead.bytes
    this.#pump.wake()
  }

  /** There is nothing for readers before `offset` (aborted records, markers of transactions). */
  skipTo(offset: number): void {
    this.#nextFetch = Math.max(this.#nextFetch, offset)
    this.#checkGoals()
  }

  /**
   * Notes that everything before `nextOffset` is done and returns the offset to commit: beyond `nextOffset` if no record follows before
   * what was fetched. The offsets of markers of transactions and of aborted records hold no record.
   */
  done(nextOffset: number): number {
    this.#doneTo = Math.max(this.#doneTo, nextOffset)
    return Math.max(nextOffset, this.skippedTo ?? 0)
  }

  /** The offset to commit when all delivered records are done and offsets without a record follow them; null: otherwise. */
  get skippedTo(): number | null {
    if (this.#doneTo < this.#deliveredTo) return null
    const position = this.#waiting[0]?.offset ?? this.#nextFetch
    return position > this.#doneTo ? position : null
  }

  pause(): void {
    this.#pump.pause()
  }

  resume(): void {
    this.#pump.resume()
  }

  /** Resolves once everything before `offset` has been handled. */
  reached(offset: number): Promise<void> {
    return new Promise(resolve => {
      this.#goals.push({ offset, reached: resolve })
      this.#checkGoals()
    })
  }

  stop(): Promise<void> {
    return this.#pump.stop()
  }

  #take(): readonly LogRecord[] {
    let bytes = 0
    let count = 0
    for (const { value } of this.#waiting) {
      if (count > 0 && (count >= batchLimit.records || bytes + value.length > batchLimit.bytes)) break
      bytes += value.length
      count++
    }
    const records = this.#waiting.splice(0, count)
    this.#waitingBytes -= bytes
    const last = records.at(-1)
    if (last) this.#deliveredTo = last.offset + 1
    this.#inFlight = last !== undefined
    if (this.#full && this.#waiting.length < readAhead.records / 2 && this.#waitingBytes < readAhead.bytes / 2) {
      this.#full = false
      this.#onRoom()
    }
    return records
  }

  #done(): void {
    this.#inFlight = false
    this.#checkGoals()
  }

  #checkGoals(): void {
    if (!this.#ready || this.#inFlight || this.#waiting.length > 0) return
    for (let index = this.#goals.length - 1; index >= 0; index--) {
      const goal = this.#goals[index]
      if (goal === undefined || goal.offset > this.#nextFetch) continue
      this.#goals.splice(index, 1)
      goal.reached()
    }
  }
}
