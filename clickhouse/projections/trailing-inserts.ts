import { groupBy } from '../../shared/collections/group-by.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { Notifier, pause } from '../../shared/async/waiting.ts'
import { withLineEnd } from '../client/batch-inserts.ts'
import type { PendingRows } from './read-after-write.ts'
import { type InsertOptions, type Store, StoreError } from '../client/store.ts'
import { records } from '../tables/records.ts'

export interface TrailingOptions {
  /**
   * Maximum time that rows wait for further rows, ms, unless a read flushes them: the cost of inserts depends on their
   * number, hardly on their rows.
   */
  readonly lingerMs?: number
  /** Delay after a failed insert, ms. */
  readonly backOffMs?: number
  /** Maximum time that a read waits for pending rows, ms. */
  readonly readWithinMs?: number
  /** Called after each failure; the insert is retried. */
  readonly onFailure: (error: unknown) => void
}

/** A call of `insert` whose rows are not written yet. */
interface Call {
  readonly table: string
  readonly columns: readonly string[]
  readonly lines: Buffer
  readonly options: InsertOptions
}

/** Timeout of an insert, ms; it is retried. */
const timeoutMs = 20_000
/** If more bytes are pending, calls of `insert` wait. */
const maxPendingBytes = 8_000_000
/** A call with more bytes is inserted synchronously: its caller waits, so that reads need not wait for its rows. */
const maxCallBytes = 1_000_000

/**
 * Inserts rows of the registrar asynchronously, for a process that owns log and store: changes are in the log before
 * they are acknowledged, and in the store before their tables are read. After a crash the registrar inserts lost rows
 * from the log. For this, rows are inserted in the order of changes, and rows of the table `records` after the other
 * rows of their change, as `readProjectedOffset` requires.
 */
export class TrailingInserts {
  readonly #store: Pick<Store, 'insert'>
  readonly #options: Required<TrailingOptions>
  readonly #stopping = new AbortController()
  /** Oldest first. */
  readonly #calls: Call[] = []
  #bytes = 0
  /** Number of calls so far, and number of written calls. */
  #accepted = 0
  #written = 0
  /** Error of the last attempt; null if it succeeded. */
  #failure: { readonly error: unknown } | null = null
  #isComplete = true
  #running: Promise<void> | null = null
  /** Number of callers that wait for all pending rows. */
  #readers = 0
  readonly #flushRequested = new Notifier()
  /** Notified after each attempt, and when the registrar has taken over. */
  readonly #changed = new Notifier()
  /** The accepted rows, without those that a takeover has not inserted yet: for reads of the registrar itself. */
  readonly accepted: PendingRows

  constructor(store: Pick<Store, 'insert'>, options: TrailingOptions) {
    this.#store = store
    this.#options = { lingerMs: 100, backOffMs: 1_000, readWithinMs: 10_000, ...options }
    const isBehind = () => this.#written < this.#accepted
    this.accepted = {
      get isBehind() {
        return isBehind()
      },
      settled: signal => this.#within(this.#flush(), signal),
    }
  }

  /** Lets reads wait until `endTakeover`: the log may contain changes of an earlier run that the store lacks. */
  startTakeover(): void {
    this.#isComplete = false
  }

  /** The registrar has inserted all rows that the store may have lacked. */
  endTakeover(): void {
    this.#isComplete = true
    this.#changed.ring()
  }

  /**
   * Accepts rows like the store's `insert`. Resolves before they are written, except for very many rows, while too many
   * bytes are pending, or while the store fails. Rejects with the store's error.
   */
  async insert(
    table: string,
    columns: readonly string[],
    lines: string | Buffer,
    options: InsertOptions = {},
  ): Promise<void> {
    while (this.#failure || this.#bytes > maxPendingBytes) await this.#waitForAttempt()
    const bytes = typeof lines === 'string' ? Buffer.from(lines) : lines
    if (bytes.length > maxCallBytes) {
      while (this.#calls.length > 0) await this.#waitForAttempt()
      return this.#store.insert(table, columns, bytes, options)
    }
    this.#calls.push({ table, columns, lines: bytes, options })
    this.#bytes += bytes.length
    this.#accepted++
    if (!this.#running) crashOnRejection((this.#running = this.#run()))
  }

  /** Whether accepted rows are not written yet, or a takeover is in progress. */
  get isBehind(): boolean {
    return !this.#isComplete || this.#written < this.#accepted
  }

  /**
   * Resolves when all rows that were accepted before the call are written. Rejects with a `StoreError` after
   * `readWithinMs`.
   */
  async settled(signal?: AbortSignal): Promise<void> {
    if (!this.isBehind) return
    await this.#within(this.#flushAll(), signal)
  }

  /** Writes pending rows. If the store fails, the next start inserts them from the log. */
  async stop(): Promise<void> {
    this.#readers++
    this.#flushRequested.ring()
    while (this.#calls.length > 0 && !this.#failure) await this.#changed.wait()
    this.#stopping.abort()
    await this.#running
  }

  async #flushAll(): Promise<void> {
    while (!this.#isComplete) await this.#changed.wait()
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const upTo = this.#accepted
    this.#readers++
    this.#flushRequested.ring()
    while (this.#written < upTo) await this.#changed.wait()
    this.#readers--
  }

  async #within(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { readWithinMs } = this.#options
    await withTimeout(readWithinMs, work, () => Promise.reject(notUpToDate(signal)), signal ? { signal } : {})
  }

  async #waitForAttempt(): Promise<void> {
    this.#flushRequested.ring()
    await this.#changed.wait()
    if (this.#failure) throw this.#failure.error
  }

  async #run(): Promise<void> {
    const { lingerMs, backOffMs, onFailure } = this.#options
    while (this.#calls.length > 0 && !this.#stopping.signal.aborted) {
      if (this.#readers === 0) await withTimeout(lingerMs, this.#flushRequested.wait(), () => undefined)
      const calls = [...this.#calls]
      try {
        await this.#write(calls)
        this.#removeWritten(calls.length)
      } catch (error) {
        this.#failure = { error }
        this.#changed.ring()
        onFailure(error)
        await pause(backOffMs, this.#stopping.signal)
      }
    }
    this.#running = null
  }

  #removeWritten(count: number): void {
    for (const { lines } of this.#calls.splice(0, count)) this.#bytes -= lines.length
    this.#written += count
    this.#failure = null
    this.#changed.ring()
  }

  async #write(calls: readonly Call[]): Promise<void> {
    const byTable = groupBy(calls, ({ table }) => table)
    const last = byTable.get(records.name) ?? []
    byTable.delete(records.name)
    await Promise.all(Array.from(byTable.values(), some => this.#insert(some)))
    await this.#insert(last)
  }

  async #insert(calls: readonly Call[]): Promise<void> {
    const [first] = calls
    if (!first) return
    const lines = calls.map(call => withLineEnd(call.lines))
    const signal = AbortSignal.timeout(timeoutMs)
    await this.#store.insert(first.table, first.columns, Buffer.concat(lines), { ...first.options, signal })
  }
}

function notUpToDate(signal: AbortSignal | undefined): StoreError {
  const details = { code: 0, query: 'SELECT' } as const
  if (signal?.aborted === true)
    return new StoreError('The query was cancelled', { ...details, type: 'ABORTED', retryable: false })
  return new StoreError('The latest changes of records are not in the store yet. Retry later.', {
    ...details,
    type: 'BEHIND',
    retryable: true,
  })
}
