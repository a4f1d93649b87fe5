import { type Asking, askingFor, carryMissing, type RunDeps } from '../ask.ts'
import type { Columns } from '../columns.ts'
import type { Plant } from '../plant.ts'
import { explainLimit } from '../too-large.ts'
import { compile } from './compile.ts'
import { readFromDays } from './day-documents.ts'
import type { Plan } from './plan.ts'

/** Asks the store what the plan asks for; where documents of the last hour are missing, with those made here in their place. */
export async function run(plan: Plan, plant: Plant, deps: RunDeps, signal?: AbortSignal): Promise<Columns> {
  if (keepsNothing(plan)) return []
  const asking = askingFor(deps, { company: plan.company, report: 'production' }, signal)
  try {
    return await askNumbers(plan, plant, { ...deps, ...asking })
  } catch (error) {
    throw explainLimit(error)
  }
}

async function askNumbers(plan: Plan, plant: Plant, deps: RunDeps & Asking): Promise<Columns> {
  const { store, options } = deps
  const { isWhole, carried } = await carryMissing(plan, plant, deps)
  return store.numbers(compile(isWhole ? await readFromDays(plan, deps) : plan, carried), options)
}

/** Whether no time can be in the report, so that there is nothing to ask for. */
function keepsNothing({ range, filters }: Plan): boolean {
  return range.startMs >= range.endMs || Object.values(filters).some(refs => refs?.length === 0)
}
