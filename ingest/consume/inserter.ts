import { topics } from '../../schema/topics.ts'
import { SampleColumns } from '../../clickhouse/samples/sample-columns.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { Notifier } from '../../shared/async/waiting.ts'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Problems } from '../../shared/problems.ts'
import { retry } from '../../shared/async/retry.ts'
import { pause } from '../../shared/async/waiting.ts'
import type { SampleRow } from '../../clickhouse/samples/sample-rows.ts'
import type { Logger, SampleWriter } from './ports.ts'

/** Rows that are acknowledged together, with the callbacks. */
export interface InsertTask {
  readonly rows: SampleColumns
  /** Approximate size in memory. */
  readonly bytes: number
  /** Called when every row of this and of all earlier tasks is in the store or among the dead letters. */
  readonly acknowledged: () => void
  /**
   * Handles a row, by its index, that the store rejects because of its content; awaited before the row counts as done.
   */
  readonly refuse: (place: number, row: SampleRow, error: unknown) => Promise<void>
}

export interface InserterPorts {
  readonly writer: SampleWriter
  /** Called once: too many rows are rejected, and inserting has stopped. */
  readonly onFailed: (error: Error) => void
  readonly logger: Logger
  /** Where inserts that fail repeatedly are reported. */
  readonly problems?: Problems | undefined
  readonly limits?: Partial<InsertLimits>
  readonly waitForNextInsert?: WaitForNextInsert
}

/** Resolves when the next insert may begin after one that began at `startedMs` (by `performance.now()`), or when `signal` aborts. */
export type WaitForNextInsert = (startedMs: number, signal: AbortSignal) => Promise<void>

export interface InsertLimits {
  /** Limit of rows in an insert, unless a single task has more. */
  readonly rows: number
  readonly bytes: number
  /** The wait for the next insert ends when this many rows are pending. */
  readonly enoughRows: number
  /** Time between inserts without `waitForNextInsert`. */
  readonly delayMs: number
  /** Maximum number of refused rows of one flush, or one after the other. With more, the fault is the store's, not the rows'. */
  readonly refused: number
  readonly firstRetryMs: number
}

const defaultInsertLimits: InsertLimits = {
  rows: 200_000,
  bytes: 32_000_000,
  // An insert costs as much as 20,000 rows: with these, a row costs a fifth more than in an insert without end.
  enoughRows: 100_000,
  delayMs: 200,
  refused: 100,
  firstRetryMs: 100,
}

/** Approximate memory of a task in addition to its rows. */
const bytesOfTask = 500

interface Gathered {
  readonly rows: SampleColumns
  readonly tasks: (Omit<InsertTask, 'rows'> & { readonly firstRow: number })[]
  bytes: number
  /** Number of rows rejected so far. */
  refused: number
}

const noRows = new SampleColumns()

/** Too many rows are refused: the store's table or this program is wrong, and further inserts would lose samples. */
class TooManyRefused extends Error {
  override readonly name = 'TooManyRefused'
  readonly code = 'too_many_refused'
  readonly retryable = false
}

/**
 * Inserts tasks in the order they were added, many in one insert, one insert at a time: tasks gather during an insert and the wait after
 * it. Failed inserts are repeated without end; meanwhile callers of `add` wait (backpressure).
 */
export class Inserter {
  readonly #ports: InserterPorts
  readonly #limits: InsertLimits
  readonly #stopped = new AbortController()
  #waiting: Gathered[] = []
  #rows = 0
  #bytes = 0
  #isRunning = false
  #drains = 0
  #endWait: () => void = () => undefined
  #refusedInARow = 0
  readonly #freed = new Notifier()

  constructor(ports: InserterPorts) {
    this.#ports = ports
    this.#limits = { ...defaultInsertLimits, ...ports.limits }
  }

  get pendingRows(): number {
    return this.#rows
  }

  /** Resolves when the task is queued and there is room for another; rejects once stopped. */
  async add(task: InsertTask): Promise<void> {
    this.#stopped.signal.throwIfAborted()
    this.#gather(task)
    if (this.#isUrgent()) this.#endWait()
    this.#start()
    while (this.#isFull()) {
      await this.#freed.wait()
      this.#stopped.signal.throwIfAborted()
    }
  }

  /** Resolves when everything added before is acknowledged; rejects after a stop. */
  async drain(): Promise<void> {
    const { signal } = this.#stopped
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const abort = () => reject(signal.reason)
      const acknowledged = () => {
        this.#drains--
        signal.removeEventListener('abort', abort)
        resolve()
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#gather({ rows: noRows, bytes: 0, acknowledged, refuse: async () => undefined })
      this.#drains++
      this.#endWait()
      this.#start()
    })
  }

  /** Abandons rows that are not acknowledged. */
  stop(reason: Error = new Error('ingest is stopping')): void {
    this.#stopped.abort(reason)
    this.#waiting = []
    this.#endWait()
    this.#freed.ring()
  }

  #isFull(): boolean {
    return this.#rows >= this.#limits.rows || this.#bytes >= this.#limits.bytes
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    // It reports failures.
    crashOnRejection(this.#run())
  }

  /** Inserts all pending rows, including those that arrive during an insert and the wait after it. */
  async #run(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#insertAll(next)
    } catch (error) {
      this.#fail(error)
    } finally {
      // Synchronous with the last check for waiting rows, so that no row is left behind.
      this.#isRunning = false
    }
  }

  #fail(error: unknown): void {
    if (this.#stopped.signal.aborted) return
    const failure = error instanceof Error ? error : new Error(String(error))
    this.stop(failure)
    this.#ports.onFailed(failure)
  }

  /** Inserts rows that no longer wait; further rows gather meanwhile. */
  async #insertAll(gathered: Gathered): Promise<void> {
    const startedMs = performance.now()
    const { rows, tasks } = gathered
    this.#rows -= rows.length
    this.#bytes -= gathered.bytes
    this.#freed.ring()
    await this.#insert(gathered, rows, 0)
    for (const task of tasks) task.acknowledged()
    if (rows.length > 0 && !this.#isUrgent()) await this.#waitForNextInsert(startedMs)
  }

  /** Whether pending rows are inserted immediately. */
  #isUrgent(): boolean {
    const isEnough = this.#rows >= this.#limits.enoughRows || this.#isFull()
    return isEnough || this.#drains > 0 || this.#stopped.signal.aborted
  }

  async #waitForNextInsert(startedMs: number): Promise<void> {
    const ended = new AbortController()
    this.#endWait = () => ended.abort()
    const { waitForNextInsert } = this.#ports
    if (waitForNextInsert) await waitForNextInsert(startedMs, ended.signal)
    else await pause(this.#limits.delayMs, ended.signal)
  }

  /** Adds a task to the last insert that has not started, within the limits of an insert. */
  #gather({ rows, ...task }: InsertTask): void {
    const bytes = task.bytes + bytesOfTask
    const last = this.#waiting.at(-1)
    const fits = last && last.rows.length + rows.length <= this.#limits.rows && last.bytes + bytes <= this.#limits.bytes
    const gathered = fits ? last : { rows: new SampleColumns(), tasks: [], bytes: 0, refused: 0 }
    if (!fits) this.#waiting.push(gathered)
    gathered.tasks.push({ ...task, firstRow: gathered.rows.length })
    gathered.rows.append(rows)
    gathered.bytes += bytes
    this.#rows += rows.length
    this.#bytes += bytes
  }

  /** Inserts rows; `firstRow` is the index of the first one among all rows of the insert. */
  async #insert(gathered: Gathered, rows: SampleColumns, firstRow: number): Promise<void> {
    if (rows.length === 0) return
    try {
      await this.#retry('insert of samples', () => this.#ports.writer.write(rows))
      this.#refusedInARow = 0
    } catch (error) {
      if (!isRefusal(error)) throw error
      await this.#bisect(gathered, rows, firstRow, error)
    }
  }

  /** Halves the refused rows until each row that the store refuses is an insert of its own; these become dead letters. */
  async #bisect(gathered: Gathered, rows: SampleColumns, firstRow: number, error: Error): Promise<void> {
    if (rows.length === 1) {
      const refused = Math.max(++gathered.refused, ++this.#refusedInARow)
      if (refused > this.#limits.refused) throw tooMany(refused, error)
      const task = gathered.tasks.findLast(each => each.firstRow <= firstRow)
      await this.#retry('append of a dead letter', async () =>
        task?.refuse(firstRow - task.firstRow, rows.at(0), error),
      )
      return
    }
    const middle = rows.length >> 1
    await this.#insert(gathered, rows.slice(0, middle), firstRow)
    await this.#insert(gathered, rows.slice(middle, rows.length), firstRow + middle)
  }

  async #retry(what: string, call: () => Promise<void>): Promise<void> {
    const failure = new RepeatedFailure(this.#ports.problems, `inserter ${what}`)
    await retry(call, {
      signal: this.#stopped.signal,
      firstDelayMs: this.#limits.firstRetryMs,
      isFinal: isRefusal,
      onRetry: (error, attempt) => {
        this.#ports.logger.warn({ err: error, attempt }, `${what} failed, retrying`)
        failure.failed(error, () => ({
          code: 'insert_failing',
          message: `The ${what} fails repeatedly. Samples wait in ${topics.samples}. The log of the process has the error.`,
          topic: topics.samples,
        }))
      },
    }).finally(() => failure.ended())
  }
}

function tooMany(refused: number, cause: Error): TooManyRefused {
  return new TooManyRefused(`The store rejects more than ${refused - 1} samples, the last one with: ${cause.message}`, {
    cause,
  })
}

/** Whether a retry of these rows cannot succeed. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'retryable' in error && error.retryable === false
}
