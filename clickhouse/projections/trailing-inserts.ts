import { groupBy } from '../../shared/collections/group-by.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'
import { withTimeout } from '../../shared/async/with-timeout.ts'
import { Notifier, pause } from '../../shared/async/waiting.ts'
import { type InsertOptions, type Store, StoreError } from '../client/store.ts'
import { audit, records } from '../tables/records.ts'

export interface TrailingOptions {
  /** Linger of rows until a read flushes them: inserts cost by their number and hardly by rows. */
  readonly lingerMs?: number
  /** Pause after an insert that failed. */
  readonly backOffMs?: number
  /** A read waits no longer than this. */
  readonly readWithinMs?: number
  /** Called for each failure; the insert is retried. */
  readonly onFailure: (error: unknown) => void
}

/** A call of `insert` that is not written yet. */
interface Call {
  readonly table: string
  readonly columns: readonly string[]
  readonly lines: Buffer
  readonly options: InsertOptions
}

/** An insert that is not answered by then is sent again. */
const withinMs = 20_000
/** Where more waits, so does who brings more. */
const mostBytes = 8_000_000
/** More rows at once take long: who brings them waits, and not who reads. */
const mostBytesOfCall = 1_000_000
const lineEnd = Buffer.from('\n')

/**
 * Rows of the registrar that are not inserted yet, for a process that owns log and store: changes are in the log before
 * they are acknowledged, and in the store before a read of their tables. After a crash the registrar inserts lost rows
 * from the log; for this, rows are inserted in the order of changes, those of the table `records` after the further
 * rows of their change, as `projectedTo` requires. Rows of the audit trail contain their own position.
 */
export class TrailingInserts {
  readonly #store: Pick<Store, 'insert'>
  readonly #options: Required<TrailingOptions>
  readonly #stopping = new AbortController()
  /** Oldest first. */
  readonly #calls: Call[] = []
  #bytes = 0
  /** Calls so far, and how many of them are written. */
  #taken = 0
  #written = 0
  /** Why the last attempt failed; null: it did not. */
  #failure: { readonly error: unknown } | null = null
  #isComplete = true
  #running: Promise<void> | null = null
  /** How many wait for all that there is. */
  #readers = 0
  readonly #wanted = new Notifier()
  /** Rung after each attempt, and when the registrar has taken over. */
  readonly #changed = new Notifier()

  constructor(store: Pick<Store, 'insert'>, options: TrailingOptions) {
    this.#store = store
    this.#options = { lingerMs: 100, backOffMs: 1_000, readWithinMs: 10_000, ...options }
  }

  /** Reads wait from now on until `taken`: the log may hold changes of a run before this one that the store lacks. */
  takingOver(): void {
    this.#isComplete = false
  }

  /** The registrar has brought all that the store may lack. */
  taken(): void {
    this.#isComplete = true
    this.#changed.ring()
  }

  /**
   * Takes rows, as the store's `insert`. Resolves before they are written, unless they are very many, much is waiting or the store
   * fails. Rejects with its failure.
   */
  async insert(
    table: string,
    columns: readonly string[],
    lines: string | Buffer,
    options: InsertOptions = {},
  ): Promise<void> {
    while (this.#failure || this.#bytes > mostBytes) await this.#attempt()
    const bytes = typeof lines === 'string' ? Buffer.from(lines) : lines
    if (bytes.length > mostBytesOfCall) {
      while (this.#calls.length > 0) await this.#attempt()
      return this.#store.insert(table, columns, bytes, options)
    }
    this.#calls.push({ table, columns, lines: bytes, options })
    this.#bytes += bytes.length
    this.#taken++
    if (!this.#running) neverRejects((this.#running = this.#run()))
  }

  /** Whether rows that were taken are not written, or more may be missing. */
  get isBehind(): boolean {
    return !this.#isComplete || this.#written < this.#taken
  }

  /** Resolves when everything that was taken until now is written. Rejects with a `StoreError` where that takes too long. */
  async settled(signal?: AbortSignal): Promise<void> {
    if (!this.isBehind) return
    const { readWithinMs } = this.#options
    await withTimeout(readWithinMs, this.#reached(), () => Promise.reject(behind(signal)), signal ? { signal } : {})
  }

  /** Writes what is waiting, unless the store fails: then it is left to the next start. */
  async stop(): Promise<void> {
    this.#readers++
    this.#wanted.ring()
    while (this.#calls.length > 0 && !this.#failure) await this.#changed.wait()
    this.#stopping.abort()
    await this.#running
  }

  async #reached(): Promise<void> {
    while (!this.#isComplete) await this.#changed.wait()
    const upTo = this.#taken
    this.#readers++
    this.#wanted.ring()
    while (this.#written < upTo) await this.#changed.wait()
    this.#readers--
  }

  async #attempt(): Promise<void> {
    this.#wanted.ring()
    await this.#changed.wait()
    if (this.#failure) throw this.#failure.error
  }

  async #run(): Promise<void> {
    const { lingerMs, backOffMs, onFailure } = this.#options
    while (this.#calls.length > 0 && !this.#stopping.signal.aborted) {
      if (this.#readers === 0) await withTimeout(lingerMs, this.#wanted.wait(), () => undefined)
      const calls = [...this.#calls]
      try {
        await this.#write(calls)
        this.#forget(calls.length)
      } catch (error) {
        this.#failure = { error }
        this.#changed.ring()
        onFailure(error)
        await pause(backOffMs, this.#stopping.signal)
      }
    }
    this.#running = null
  }

  #forget(count: number): void {
    for (const { lines } of this.#calls.splice(0, count)) this.#bytes -= lines.length
    this.#written += count
    this.#failure = null
    this.#changed.ring()
  }

  async #write(calls: readonly Call[]): Promise<void> {
    const byTable = groupBy(calls, ({ table }) => table)
    const before = [...byTable].filter(([table]) => table !== records.name && table !== audit.name)
    const inOrder = async () => {
      for (const [, some] of before) await this.#insert(some)
      await this.#insert(byTable.get(records.name) ?? [])
    }
    await Promise.all([inOrder(), this.#insert(byTable.get(audit.name) ?? [])])
  }

  async #insert(calls: readonly Call[]): Promise<void> {
    const [first] = calls
    if (!first) return
    const lines = calls.flatMap(call => [call.lines, lineEnd])
    const signal = AbortSignal.timeout(withinMs)
    await this.#store.insert(first.table, first.columns, Buffer.concat(lines), { ...first.options, signal })
  }
}

function behind(signal: AbortSignal | undefined): StoreError {
  const given = { code: 0, query: 'SELECT' } as const
  if (signal?.aborted === true)
    return new StoreError('The query was given up', { ...given, type: 'ABORTED', retryable: false })
  return new StoreError('The store does not have the last changes yet', { ...given, type: 'BEHIND', retryable: true })
}
