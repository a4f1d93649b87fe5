import { render, type Sql } from '../../../clickhouse/sql/sql.ts'
import type { Source } from '../model/readings.ts'
import type { AnswerColumns } from '../run/context.ts'

interface Kept {
  readonly stamp: string
  readonly columns: AnswerColumns
  /** Characters of the statement and of the texts in its answer, and a few for each other value. */
  readonly chars: number
}

/** Characters of all answers that are kept, of all companies, and of one of them. */
const mostChars = { all: 32_000_000, one: 1_000_000 }
const charsOfOther = 16

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
  #chars = 0

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
    ask: () => Promise<AnswerColumns>,
  ): Promise<AnswerColumns> {
    if (sources.some(source => others.has(source))) return ask()
    const id = textOf(companyId, statement)
    // Before the store is asked: a change that comes now may not be in its answer.
    const stamp = sources.map(source => this.#changes.get(idOf(companyId, source)) ?? 0).join(' ')
    const kept = this.#kept.get(id)
    if (kept?.stamp === stamp) {
      this.#keep(id, kept)
      return kept.columns
    }
    this.#forget(id)
    const columns = await ask()
    const chars = charsOf(id, columns)
    if (chars <= mostChars.one) this.#keep(id, { stamp, columns, chars })
    return columns
  }

  /** Keeps an answer as the newest; the oldest go where there is no room. */
  #keep(id: string, kept: Kept): void {
    this.#forget(id)
    this.#kept.set(id, kept)
    this.#chars += kept.chars
    for (const oldest of this.#kept.keys()) {
      if (this.#chars <= mostChars.all) break
      this.#forget(oldest)
    }
  }

  #forget(id: string): void {
    this.#chars -= this.#kept.get(id)?.chars ?? 0
    this.#kept.delete(id)
  }
}

/** Counts no further than what is too much for one answer. */
function charsOf(id: string, columns: AnswerColumns): number {
  let chars = id.length
  for (const values of Object.values(columns)) {
    for (const value of values) {
      chars += typeof value === 'string' ? value.length + charsOfOther : charsOfOther
      if (chars > mostChars.one) return chars
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
