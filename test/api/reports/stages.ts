import { answerColumns, compile } from '../../../api/reports/production/compile.ts'
import { createGroupingLevels } from '../../../api/reports/grouping-levels.ts'
import { fold } from '../../../api/reports/production/fold.ts'
import { parseProduction } from '../../../api/reports/parse.ts'
import { type Plan, planProduction } from '../../../api/reports/production/plan.ts'
import { presentGroups } from '../../../api/reports/present.ts'
import { createCompanyViews } from '../../../api/reports/company-view.ts'
import { present } from '../../../api/reports/production/present.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { calendarOf, type TestPlant } from './plant-support.ts'
import { type WholeBody, wholeBody } from './whole-body.ts'

/** The stages of a report one by one, so that a test can reach in between. */
export function planOf(plant: TestPlant, body: unknown, nowMs: number): Plan {
  const found = createCompanyViews(plant.records).of(plant.company.id)
  if (!found) throw new Error('no plant')
  return planProduction(parseProduction(body), {
    view: found,
    calendar: calendarOf(found.company.settings, null),
    nowMs,
  })
}

/** Exact segments and instants for every hour, instead of what documents add up. */
export function allCut(plan: Plan): Plan {
  return { ...plan, split: { days: [], whole: [], cut: [plan.range] } }
}

export async function answer(plant: TestPlant, body: unknown, plan: Plan, store: Store): Promise<WholeBody> {
  const found = createCompanyViews(plant.records).of(plant.company.id)
  if (!found) throw new Error('no plant')
  const request = parseProduction(body)
  await plant.project(store)
  const columns = await store.numbers(compile(plan), answerColumns(plan))
  const dimensions = createGroupingLevels(request.groupBy, { plan, view: found, filters: request.filters })
  const presenter = present(request, plan, fold(plan, columns, dimensions), dimensions)
  return wholeBody(presentGroups(presenter, { flatten: request.flatten, range: plan.range }))
}
