import { processTime, type SchedulerTime } from './batch-scheduler.ts'

/** A screen sends its reads in steps: until the next one, and until the first one of a page that was opened. */
const expectedWithinMs = 400

/** The reads of derived data for which a caller waits: work on history makes room for them. */
export class OpenReads {
  readonly #time: Pick<SchedulerTime, 'nowMs'>
  #open = 0
  #expectedUntilMs = -Infinity

  constructor(time: Pick<SchedulerTime, 'nowMs'> = processTime) {
    this.#time = time
  }

  /** Whether a read is in progress, or follows shortly. */
  get isReading(): boolean {
    return this.#open > 0 || this.#time.nowMs() < this.#expectedUntilMs
  }

  /** Announces reads, such as those of a page that is opened. */
  expect(): void {
    this.#expectedUntilMs = this.#time.nowMs() + expectedWithinMs
  }

  /** Runs a read; further reads may follow it. */
  async around<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#open++
    try {
      return await read()
    } finally {
      this.#open--
      this.expect()
    }
  }
}
