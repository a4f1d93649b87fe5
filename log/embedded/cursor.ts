import type { LogRecord } from '../log.ts'
import { Goals } from '../goals.ts'
import { Pump, type PumpTarget } from '../pump.ts'
import type { PartitionLog } from './partition.ts'

/**
 * Reads a partition from an offset and passes its records to a handler; at the end of the partition, waits for new
 * records.
 */
export class Cursor {
  readonly partition: number
  readonly #log: PartitionLog
  readonly #pump: Pump
  readonly #goals = new Goals()
  #unwatch: (() => void) | undefined
  #position = 0

  constructor(log: PartitionLog, target: PumpTarget) {
    this.partition = log.partition
    this.#log = log
    this.#pump = new Pump({ next: () => this.#next(), done: records => this.#done(records) }, target)
  }

  get stopped(): boolean {
    return this.#pump.stopped
  }

  startAt(position: number): void {
    this.#position = position
    this.#unwatch = this.#log.watch(() => this.#pump.wake())
    this.#pump.start()
  }

  pause(): void {
    this.#pump.pause()
  }

  resume(): void {
    this.#pump.resume()
  }

  /** Resolves when everything before `offset` has been handled. */
  reached(offset: number): Promise<void> {
    return this.#position >= offset ? Promise.resolve() : this.#goals.wait(offset)
  }

  async stop(): Promise<void> {
    this.#unwatch?.()
    await this.#pump.stop()
  }

  async #next(): Promise<readonly LogRecord[]> {
    this.#advance(this.#log.firstReadable(Math.max(this.#position, this.#log.start)))
    const records = await this.#log.read(this.#position)
    // The read may have found that the records up to the end are lost.
    if (records.length === 0) this.#advance(this.#log.firstReadable(this.#position))
    return records
  }

  #done(records: readonly LogRecord[]): void {
    const last = records.at(-1)
    if (last !== undefined) this.#advance(last.offset + 1)
  }

  #advance(position: number): void {
    this.#position = position
    this.#goals.reach(position)
  }
}
