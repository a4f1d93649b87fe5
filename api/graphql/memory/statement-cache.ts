import { render, type Sql } from '../../../clickhouse/sql/sql.ts'
import type { Source } from '../model/source-reads.ts'
import type { ResultColumns } from '../run/context.ts'

interface CachedResult {
  readonly stamp: string
  readonly columns: ResultColumns
  /** Characters of the statement and of the texts in its result, plus a constant for each other value. */
  readonly chars: number
}

/** Maximum characters of all cached results, and of one result. */
const maxChars = { all: 32_000_000, one: 1_000_000 }
const charsOfOther = 16

/** Sources that are not records: results that read them are not cached. */
const uncached: ReadonlySet<Source> = new Set<Source>([
  'values',
  'samples',
  'stored-values',
  'derived-states',
  'documents',
  'statuses',
  'alarm-ids',
  'time',
])

/** Caches the results of statements that read only records, until one of these records changes. */
export class StatementCache {
  readonly #results = new Map<string, CachedResult>()
  readonly #changes = new Map<string, number>()
  #chars = 0

  /** Invalidates the results that read a source of a company. */
  changed(companyId: string, source: Source): void {
    if (uncached.has(source)) return
    const id = idOf(companyId, source)
    this.#changes.set(id, (this.#changes.get(id) ?? 0) + 1)
  }

  /**
   * Returns the cached result of a statement that reads these sources; if there is none, returns the result of
   * `queryStore` and caches it.
   */
  async query(
    companyId: string,
    sources: readonly Source[],
    statement: Sql,
    query: () => Promise<ResultColumns>,
  ): Promise<ResultColumns> {
    if (sources.some(source => uncached.has(source))) return query()
    const id = textOf(companyId, statement)
    // Read before the query: a change during the query may not be in its result.
    const stamp = sources.map(source => this.#changes.get(idOf(companyId, source)) ?? 0).join(' ')
    const cached = this.#results.get(id)
    if (cached?.stamp === stamp) {
      this.#store(id, cached)
      return cached.columns
    }
    this.#evict(id)
    const columns = await query()
    const chars = charsOf(id, columns)
    if (chars <= maxChars.one) this.#store(id, { stamp, columns, chars })
    return columns
  }

  /** Caches a result as the most recent; evicts the least recent while the limit is exceeded. */
  #store(id: string, cached: CachedResult): void {
    this.#evict(id)
    this.#results.set(id, cached)
    this.#chars += cached.chars
    for (const oldest of this.#results.keys()) {
      if (this.#chars <= maxChars.all) break
      this.#evict(oldest)
    }
  }

  #evict(id: string): void {
    this.#chars -= this.#results.get(id)?.chars ?? 0
    this.#results.delete(id)
  }
}

/** Stops counting at the limit of one result. */
function charsOf(id: string, columns: ResultColumns): number {
  let chars = id.length
  for (const values of Object.values(columns)) {
    for (const value of values) {
      chars += typeof value === 'string' ? value.length + charsOfOther : charsOfOther
      if (chars > maxChars.one) return chars
    }
  }
  return chars
}

function idOf(companyId: string, source: Source): string {
  return `${source} ${companyId}`
}

function textOf(companyId: string, statement: Sql): string {
  const { query, query_params: values } = render(statement)
  return JSON.stringify([companyId, query, values], (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}
