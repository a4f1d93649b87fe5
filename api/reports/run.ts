import type { QueryOptions, Settings } from '../../clickhouse/store.ts'
import { carryOn, type CarriedDeps, findMissing, relationOf } from './carried.ts'
import type { Columns, ColumnValue } from './columns.ts'
import { compile } from './compile.ts'
import { refuseWithoutCompany } from './guard.ts'
import type { Plan } from './plan.ts'
import type { Plant } from './plant.ts'

/** What one report may cost the store. */
const limits: Settings = {
  readonly: 2,
  max_execution_time: 30,
  max_memory_usage: 4_000_000_000,
  max_rows_to_read: 2_000_000_000,
  max_result_rows: 5_000_000,
}

/** Asks the store what the plan asks for; where documents of the last hour are missing, with those made here in their place. */
export async function run(plan: Plan, plant: Plant, deps: CarriedDeps, signal?: AbortSignal): Promise<Columns> {
  if (keepsNothing(plan)) return []
  const options: QueryOptions = {
    settings: limits,
    logComment: `/reports/production company=${plan.company}`,
    lane: 'report',
    ...(signal ? { signal } : {}),
  }
  // Before the report is read: what is there now is there then.
  const missing = await findMissing(plan, plant, deps.store, options)
  const documents = missing.length === 0 ? [] : await carryOn(plan, missing, deps, options)
  const query = compile(plan, documents.length > 0 ? relationOf(documents) : null)
  return deps.store.columns<ColumnValue[][]>(refuseWithoutCompany(query, plan.company), options)
}

/** Whether no time can be in the report, so that there is nothing to ask for. */
function keepsNothing({ range, filters }: Plan): boolean {
  return range.startMs >= range.endMs || Object.values(filters).some(refs => refs?.length === 0)
}
