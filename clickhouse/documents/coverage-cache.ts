import { type DayBounds, type DayCoverage, readDayCoverage } from './day-coverage.ts'
import { storedText } from '../client/kinds.ts'
import { columns } from '../client/rows.ts'
import { array, sql, str } from '../sql/sql.ts'
import { dayCoverage, staleDays } from '../tables/documents.ts'
import { type QueryOptions, type Store, StoreError } from '../client/store.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Maximum number of cached results of all companies: most reports request the same few ranges. */
const maxResults = 64
/** A result with more marks is not cached. */
const maxMarks = 10_000

interface Known {
  readonly token: string
  readonly days: readonly DayBounds[]
  readonly coverage: DayCoverage
}

/**
 * Cache of `readDayCoverage` that is valid while its two tables are unchanged. The engine in this process has no other
 * writer: the number of writes detects a change. On a server, a query of the parts of both tables detects a change, in
 * a quarter of the time of reading them.
 * Why a cached result is correct: a write that is not acknowledged before the call may be missing, as in any read. On a
 * server the token is the list of parts of each table. A part never changes, and a dropped part does not return: its
 * name is not reused, and its hash distinguishes it from a part of a recreated or restored table. So a table with the
 * same parts at two instants had them at all instants between. The token is read before the data that is cached with
 * it. If the current token is equal, both tables have not changed since before that read. The token query may read the
 * two tables at different instants, both after the call: at the earlier instant, both tables still equal the cached
 * data, so marks and coverage are consistent as of one instant.
 * Merges, and writes for other companies or days, only cause another read.
 */
export class CoverageCache {
  readonly #known = new Map<string, Known>()
  #mayReadParts = true

  /** As `readDayCoverage`: includes every write that was acknowledged before the call. One query to a server, two more after a change. */
  async read(
    store: Store,
    companyRef: CompanyRef,
    days: readonly DayBounds[],
    options: QueryOptions = {},
  ): Promise<DayCoverage> {
    const [first, last] = [days[0], days.at(-1)]
    if (!first || !last) return { covered: [], stale: [] }
    const token = await this.#token(store, options)
    const key = `${companyRef}/${first.startMs}/${last.endMs}`
    const known = this.#known.get(key)
    if (known && known.token === token && areSame(known.days, days)) {
      this.#store(key, known)
      return known.coverage
    }
    const coverage = await readDayCoverage(store, companyRef, days, options)
    if (token !== null && coverage.stale.length <= maxMarks) this.#store(key, { token, days, coverage })
    return coverage
  }

  /** Caches a result as the most recently used one. */
  #store(key: string, known: Known): void {
    this.#known.delete(key)
    this.#known.set(key, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxResults && oldest !== undefined) this.#known.delete(oldest)
  }

  /** null if unknown: the user of a server may lack the right to read parts, or parts are stored elsewhere. */
  async #token(store: Store, options: QueryOptions): Promise<string | null> {
    const writes = store.writeCount(bothTables)
    if (writes !== null) return String(writes)
    if (!this.#mayReadParts) return null
    try {
      const parts = await columns(
        store,
        partsOfBoth,
        { table: storedText, name: storedText, hash_of_all_files: storedText },
        options,
      )
      return parts.name.length > 0 ? JSON.stringify(parts) : null
    } catch (error) {
      if (!(error instanceof StoreError) || error.type !== 'ACCESS_DENIED') throw error
      this.#mayReadParts = false
      return null
    }
  }
}

const bothTables = [staleDays.name, dayCoverage.name]

const partsOfBoth = sql`
  SELECT table, name, hash_of_all_files FROM system.parts
  WHERE database = currentDatabase() AND table IN ${array(str, bothTables)} AND active
  ORDER BY table, name`

function areSame(some: readonly DayBounds[], others: readonly DayBounds[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ startMs, endMs }, i) => startMs === others[i]?.startMs && endMs === others[i].endMs)
  )
}
