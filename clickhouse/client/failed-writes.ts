import { databaseName, rawSql, sql } from '../sql/sql.ts'
import { hasKeptSpace } from './free-space.ts'
import type { Store } from './store.ts'

/** Must be far below `old_parts_lifetime` of the tables, during which the sources of a merge stay on disk. */
const checkEveryMs = 10_000

interface FailedWritesOptions {
  readonly store: Pick<Store, 'query' | 'command'>
  /** Folder of the engine. */
  readonly path: string
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
  readonly #timer: NodeJS.Timeout
  /** Number of failed writes of which the effects are repaired. */
  #repaired: number
  #areTablesDamaged = false
  /** Tables that may be detached. */
  readonly #detached = new Set<string>()
  #repair: Promise<void> | null = null
  #isClosed = false

  private constructor(options: FailedWritesOptions, count: number) {
    this.#options = options
    this.#repaired = count
    this.#timer = setInterval(() => this.#startRepair(), checkEveryMs).unref()
  }

  static async watch(options: FailedWritesOptions): Promise<FailedWrites> {
    return new FailedWrites(options, await countFailedWrites(options.store))
  }

  /**
   * Rejects if writes have failed since the last repair: an insert that the engine has just acknowledged may be among
   * them. Starts the repair. A count takes milliseconds of CPU time, so the free space decides whether one is needed.
   */
  async requireNone(): Promise<void> {
    if (!this.#areTablesDamaged && (await hasKeptSpace(this.#options.path))) return
    if ((await countFailedWrites(this.#options.store)) === this.#repaired) return
    this.#areTablesDamaged = true
    this.#startRepair()
    throw new Error('The engine failed to write to its disk: inserted rows may be missing')
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
    const { store, onFailure } = this.#options
    const count = await countFailedWrites(store)
    if (count === this.#repaired && this.#detached.size === 0) return
    this.#areTablesDamaged = true
    onFailure(count - this.#repaired)
    for (const name of this.#detached) await this.#attach(name)
    const tables = await store.query<{ name: string }>(
      sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`,
      { workload: 'process' },
    )
    for (const { name } of tables) {
      if (this.#isClosed) return
      this.#detached.add(name)
      await store.command(rawSql(`DETACH TABLE ${databaseName(name)} SYNC`))
      await this.#attach(name)
    }
    this.#repaired = count
    this.#areTablesDamaged = false
  }

  async #attach(name: string): Promise<void> {
    await this.#options.store.command(rawSql(`ATTACH TABLE IF NOT EXISTS ${databaseName(name)}`))
    this.#detached.delete(name)
  }
}

/** Returns the number of writes to files that have failed in this process. */
async function countFailedWrites(store: Pick<Store, 'query'>): Promise<number> {
  const found = await store.query<{ value: string }>(
    sql`SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'`,
    { workload: 'process' },
  )
  return Number(found[0]?.value ?? 0)
}
