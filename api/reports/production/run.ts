import type { Sql } from '../../../clickhouse/sql/sql.ts'
import { type Asking, askingFor, makeMissing, type RunDeps } from '../ask.ts'
import type { Columns } from '../columns.ts'
import type { CompanyView } from '../company-view.ts'
import { explainLimit } from '../too-large.ts'
import { answerColumns, compile } from './compile.ts'
import { readFromDays } from './day-documents.ts'
import { takeSnapshot, type ExportSnapshot } from './export-snapshot.ts'
import type { Plan } from './plan.ts'

/** Asks the store what the plan asks for; where documents of the last hour are missing, with those made here in their place. */
export async function run(plan: Plan, view: CompanyView, deps: RunDeps, signal?: AbortSignal): Promise<Columns> {
  if (keepsNothing(plan)) return []
  const asking = askingFor(deps, { company: plan.company, report: 'production' }, signal)
  const names = answerColumns(plan)
  return compiled(plan, view, { ...deps, ...asking }, query => asking.store.numbers(query, names, asking.options))
}

/** The same, of which the store keeps the answer. */
export async function runToSnapshot(plan: Plan, view: CompanyView, deps: RunDeps & Asking): Promise<ExportSnapshot> {
  return compiled(plan, view, deps, query => takeSnapshot(plan, query, deps))
}

/** Whether no time can be in the report, so that there is nothing to ask for. */
export function keepsNothing({ range, filters }: Plan): boolean {
  return range.startMs >= range.endMs || Object.values(filters).some(refs => refs?.length === 0)
}

async function compiled<Answer>(
  plan: Plan,
  view: CompanyView,
  deps: RunDeps & Asking,
  ask: (query: Sql) => Promise<Answer>,
): Promise<Answer> {
  try {
    const { isWhole, provisional } = await makeMissing(plan, view, deps)
    return await ask(compile(isWhole ? await readFromDays(plan, deps) : plan, provisional))
  } catch (error) {
    throw explainLimit(error)
  }
}
