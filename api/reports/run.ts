import type { QueryOptions } from '../../clickhouse/store.ts'
import { carryOn, type CarriedDeps, findMissing, relationOf } from './carried.ts'
import type { Columns } from './columns.ts'
import { compile } from './compile.ts'
import { readFromDays } from './day-documents.ts'
import { guardedStore } from './guard.ts'
import type { Plan } from './plan.ts'
import type { Plant } from './plant.ts'
import { explainLimit } from './too-large.ts'

/** What one query of a report may cost the store: seconds, bytes and rows. */
export interface QueryLimits {
  readonly max_execution_time: number
  readonly max_memory_usage: number
  readonly max_rows_to_read: number
  readonly max_result_rows: number
}

/** Where nothing else is said. */
export const defaultLimits: QueryLimits = {
  max_execution_time: 30,
  max_memory_usage: 4_000_000_000,
  max_rows_to_read: 2_000_000_000,
  max_result_rows: 5_000_000,
}

interface RunDeps extends CarriedDeps {
  readonly limits?: QueryLimits
}

/** Asks the store what the plan asks for; where documents of the last hour are missing, with those made here in their place. */
export async function run(plan: Plan, plant: Plant, deps: RunDeps, signal?: AbortSignal): Promise<Columns> {
  if (keepsNothing(plan)) return []
  const options: QueryOptions = {
    settings: { readonly: 2, ...(deps.limits ?? defaultLimits) },
    logComment: `/reports/production company=${plan.company}`,
    lane: 'report',
    ...(signal ? { signal } : {}),
  }
  try {
    return await ask(plan, plant, { ...deps, store: guardedStore(deps.store, plan.company) }, options)
  } catch (error) {
    throw explainLimit(error)
  }
}

async function ask(plan: Plan, plant: Plant, deps: CarriedDeps, options: QueryOptions): Promise<Columns> {
  // Before the report is read: what is there now is there then.
  const missing = await findMissing(plan, plant, deps, options)
  const documents = missing.length === 0 ? [] : await carryOn(plan, missing, deps, options)
  const query =
    missing.length > 0
      ? compile(plan, documents.length > 0 ? relationOf(documents) : null)
      : compile(await readFromDays(plan, deps.store, options))
  return deps.store.numbers(query, options)
}

/** Whether no time can be in the report, so that there is nothing to ask for. */
function keepsNothing({ range, filters }: Plan): boolean {
  return range.startMs >= range.endMs || Object.values(filters).some(refs => refs?.length === 0)
}
