import { type DayBounds, type DayCoverage, readDayCoverage } from './day-coverage.ts'
import { storedText } from '../client/kinds.ts'
import { columns } from '../client/rows.ts'
import { array, sql, str } from '../sql/sql.ts'
import { dayCoverage, staleDays } from '../tables/documents.ts'
import { type QueryOptions, type Store, StoreError } from '../client/store.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/** Answers that are remembered, over all companies: reports mostly ask for the same few ranges. */
const most = 64
/** An answer with more marks than that is read each time. */
const mostMarks = 10_000

interface Known {
  readonly token: string
  readonly days: readonly DayBounds[]
  readonly coverage: DayCoverage
}

/**
 * `readDayCoverage`, remembered for as long as nothing is written to its two tables. The engine in this process has no other writer: there
 * the number of writes tells it. A server has: there one query of the tables' parts tells it, a quarter of the time of reading.
 *
 * Why what is remembered holds when it is asked for. A write that nobody has acknowledged when it is asked for may be missing, as in
 * any reading. On a server the token is the parts that each table is made of. A part never changes, and
 * one that is gone doesn't come back: its name isn't given again, and its hash tells it from one of a table that was made anew or
 * restored. So a table that has the same parts at two instants had them all the time between. A token is taken before that is read
 * which it is kept with. Where the token of now is equal, each table thus hasn't changed from before it was read until the new token
 * looked at it. It may look at the two at different instants, but at both after it was asked for: at the earlier one, both tables
 * are still as they were read. There marks and coverage hold together, as of one instant, which is more than reading them in turn
 * gives: there a mark may go with its day in between, hence marks first (see `readDayCoverage`).
 *
 * Merges, and writes for other companies or days, only cost another reading.
 */
export class KnownCoverage {
  readonly #known = new Map<string, Known>()
  #mayLook = true

  /** As `readDayCoverage`: with every write that was acknowledged before this is called. A query to a server, two more where something was written. */
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
      this.#remember(key, known)
      return known.coverage
    }
    const coverage = await readDayCoverage(store, companyRef, days, options)
    if (token !== null && coverage.stale.length <= mostMarks) this.#remember(key, { token, days, coverage })
    return coverage
  }

  /** Last in line to be forgotten. */
  #remember(key: string, known: Known): void {
    this.#known.delete(key)
    this.#known.set(key, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > most && oldest !== undefined) this.#known.delete(oldest)
  }

  /** null where nothing is told: a server's user may lack the right to see parts, or they are kept elsewhere. */
  async #token(store: Store, options: QueryOptions): Promise<string | null> {
    const writes = store.writeCount(bothTables)
    if (writes !== null) return String(writes)
    if (!this.#mayLook) return null
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
      this.#mayLook = false
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
