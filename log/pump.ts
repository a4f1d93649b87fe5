import type { LogRecord } from './log.ts'
import { backOffMs } from '../shared/async/retry.ts'
import { Notifier, pause } from '../shared/async/waiting.ts'

/** Source of the records of a pump. */
export interface PumpSource {
  /** Returns the next records in order, or none; a rejection is retried. */
  next(): Promise<readonly LogRecord[]> | readonly LogRecord[]
  /** Called after the records were handled. */
  done?(records: readonly LogRecord[]): void
}

/** Target of the records of a pump. */
export interface PumpTarget {
  /** A rejection delivers the same records again. */
  deliver(records: readonly LogRecord[]): Promise<void>
  /** Called when reading or delivering has failed; `offset`: that of the first unhandled record. */
  failed(error: unknown, offset?: number): void
  /** Called when records were handled, and when the pump ends. */
  ended(): void
}

/**
 * Passes the records of one partition to their handler: one batch at a time, the same one again after a rejection (with
 * back-off), none while paused. Waits for `wake` when the source is empty.
 */
export class Pump {
  readonly #source: PumpSource
  readonly #target: PumpTarget
  readonly #notifier = new Notifier()
  readonly #stopping = new AbortController()
  #paused = false
  #running: Promise<void> | undefined

  constructor(source: PumpSource, target: PumpTarget) {
    this.#source = source
    this.#target = target
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Notifies the pump that the source may have records. */
  wake(): void {
    this.#notifier.ring()
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#notifier.ring()
  }

  get stopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Stops reading; resolves when the batch in flight is handled. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#notifier.ring()
    await this.#running
    this.#target.ended()
  }

  async #run(): Promise<void> {
    let records: readonly LogRecord[] = []
    for (let failures = 0; !this.stopped;) {
      // Before the read, so that a wake-up during it is not lost.
      const woken = this.#notifier.wait()
      try {
        if (this.#paused) await woken
        else if (records.length > 0) {
          await this.#target.deliver(records)
          this.#source.done?.(records)
          this.#target.ended()
          records = []
        } else {
          records = await this.#source.next()
          if (records.length > 0 || this.stopped) continue
          this.#target.ended()
          await woken
        }
        failures = 0
      } catch (error) {
        this.#target.failed(error, records[0]?.offset)
        await pause(backOffMs(failures++), this.#stopping.signal)
      }
    }
  }
}
