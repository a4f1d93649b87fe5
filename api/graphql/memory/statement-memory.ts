import { render, type Sql } from '../../../clickhouse/sql/sql.ts'
import type { Source } from '../model/readings.ts'
import type { Columns } from '../run/context.ts'

interface Kept {
  readonly stamp: string
  readonly columns: Columns
}

const mostRows = 2_000
const mostStatements = 500

/** Sources that are no records: what is read of them is asked for each time. */
const others: ReadonlySet<Source> = new Set<Source>([
  'values',
  'samples',
  'stored-values',
  'made-states',
  'documents',
  'statuses',
  'alarm-ids',
  'time',
])

/** Keeps answers of statements that read records alone, as long as none of these records changes. */
export class StatementMemory {
  readonly #kept = new Map<string, Kept>()
  readonly #changes = new Map<string, number>()

  /** Something of a company has changed. */
  changed(companyId: string, source: Source): void {
    if (others.has(source)) return
    const id = idOf(companyId, source)
    this.#changes.set(id, (this.#changes.get(id) ?? 0) + 1)
  }

  /** The answer of a statement that reads these sources; `ask` asks the store. */
  async answer(
    companyId: string,
    sources: readonly Source[],
    statement: Sql,
    ask: () => Promise<Columns>,
  ): Promise<Columns> {
    if (sources.some(source => others.has(source))) return ask()
    const id = textOf(companyId, statement)
    // Before the store is asked: a change that comes now may not be in its answer.
    const stamp = sources.map(source => this.#changes.get(idOf(companyId, source)) ?? 0).join(' ')
    const kept = this.#kept.get(id)
    if (kept?.stamp === stamp) return kept.columns
    const columns = await ask()
    this.#kept.delete(id)
    if ((Object.values(columns)[0]?.length ?? 0) <= mostRows) this.#kept.set(id, { stamp, columns })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostStatements) break
      this.#kept.delete(oldest)
    }
    return columns
  }
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
