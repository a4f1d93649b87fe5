import type { ChdbConnection } from 'chdb/connection'
import { batchCalls } from '../../shared/async/batch-calls.ts'
import { databaseName, rawSql, sql, type Sql } from '../sql/sql.ts'
import type { Store } from './store.ts'

/** Must be far below `old_parts_lifetime` of the tables, during which the sources of a merge stay on disk. */
const checkEveryMs = 10_000

/** Takes as much CPU time as `SELECT 1` with these settings, about a seventh of the smallest insert. No row: none has failed. */
const countQuery = `
  SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'
  SETTINGS max_threads = 1, enable_analyzer = 0`

interface FailedWritesOptions {
  readonly store: Pick<Store, 'query'>
  /** Runs a command, also while writes have failed. */
  readonly command: (sql: Sql) => Promise<unknown>
  /** Returns the number of failed writes; see `countFailedWrites`. */
  readonly count: () => Promise<number>
  /** Called before a repair with the number of failed writes since the previous one. */
  readonly onFailure: (count: number) => void
}

/**
 * Finds failed writes of the engine in this process, and repairs the tables. The engine (chDB 26.7) ignores errors of
 * `write`, such as those of a full disk: it acknowledges an insert whose files are empty, and replaces parts by an
 * empty merged part. But it counts failed writes, and it checks the files of each part when a table is attached:
 * a damaged merged part is then moved to `detached`, and its sources are used again.
 */
export class FailedWrites {
  readonly #options: FailedWritesOptions
  /** Shared by writes that end at the same time. */
  readonly #count: (argument: null) => Promise<number>
  readonly #timer: NodeJS.Timeout
  /** Number of failed writes of which the effects are repaired. */
  #repaired: number
  /** Tables that may be detached. */
  readonly #detached = new Set<string>()
  #repair: Promise<void> | null = null
  #isClosed = false

  private constructor(options: FailedWritesOptions, count: number) {
    this.#options = options
    this.#count = batchCalls(options.count)
    this.#repaired = count
    this.#timer = setInterval(() => this.#startRepair(), checkEveryMs).unref()
  }

  static async watch(options: FailedWritesOptions): Promise<FailedWrites> {
    return new FailedWrites(options, await options.count())
  }

  /**
   * Runs a statement that writes. Rejects if writes have failed since the last repair before it, and starts a repair:
   * what the engine has acknowledged may be missing.
   */
  async around<Result>(statement: () => Promise<Result>): Promise<Result> {
    // A repair during an insert may remove its rows.
    const repaired = this.#repaired
    const result = await statement()
    if ((await this.#count(null)) === repaired) return result
    this.#startRepair()
    throw new Error('The engine failed to write to its disk: written data may be missing')
  }

  /** Resolves when no repair runs and none will start. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#repair
  }

  /** Runs one repair at a time; a failed one is repeated after an interval. */
  #startRepair(): void {
    this.#repair ??= this.#repairTables()
      .catch(() => undefined)
      .finally(() => (this.#repair = null))
  }

  async #repairTables(): Promise<void> {
    const { store, command, onFailure } = this.#options
    const count = await this.#count(null)
    if (count === this.#repaired && this.#detached.size === 0) return
    onFailure(count - this.#repaired)
    for (const name of this.#detached) await this.#attach(name)
    const tables = await store.query<{ name: string }>(
      sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`,
      { workload: 'process' },
    )
    for (const { name } of tables) {
      if (this.#isClosed) return
      this.#detached.add(name)
      await command(rawSql(`DETACH TABLE ${databaseName(name)} SYNC`))
      await this.#attach(name)
    }
    this.#repaired = count
  }

  async #attach(name: string): Promise<void> {
    await this.#options.command(rawSql(`ATTACH TABLE IF NOT EXISTS ${databaseName(name)}`))
    this.#detached.delete(name)
  }
}

/** Returns the number of writes to files that have failed in this process. */
export async function countFailedWrites({ chdb }: ChdbConnection): Promise<number> {
  const result = await chdb.queryAsync(countQuery, { format: 'TabSeparated' })
  return Number(result.text())
}
