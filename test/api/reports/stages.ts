import { createGroupingLevels } from '../../../api/reports/groupings/grouping-levels.ts'
import { presentSteps } from '../../../api/reports/pipeline.ts'
import { runSync } from '../../../shared/async/steps.ts'
import { type ProductionPlan } from '../../../api/reports/plan/production.ts'
import { presentGroups } from '../../../api/reports/present/present.ts'
import { productionReport } from '../../../api/reports/production.ts'
import { type Sources, sourcesOf } from '../../../api/reports/sources/sources.ts'
import type { DayCoverage } from '../../../clickhouse/documents/day-coverage.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { type TestPlant, viewOf } from './plant-support.ts'
import { type WholeBody, wholeBody } from './whole-body.ts'

/** The stages of a report one by one, so that a test can change data between them. */
export function planOf(plant: TestPlant, body: unknown, nowMs: number): ProductionPlan {
  return productionReport.plan(productionReport.parse(body), viewOf(plant, nowMs))
}

/** Hours, and the documents of covered days. */
export function sourcesFor(plan: ProductionPlan, coverage?: DayCoverage): Sources {
  return sourcesOf(plan, productionReport.sources, coverage ? { coverage } : {})
}

/** Exact segments and instants for every hour, instead of the sums of documents. */
export function allCut(plan: ProductionPlan): Sources {
  return { ...sourcesFor(plan), days: [], whole: [], cut: [plan.range] }
}

export async function answer(
  plant: TestPlant,
  body: unknown,
  plan: ProductionPlan,
  store: Store,
  sources = sourcesFor(plan),
): Promise<WholeBody> {
  const context = { request: productionReport.parse(body), plan, view: viewOf(plant, Date.now()) }
  await plant.project(store)
  const { sql, columns: names } = productionReport.compile(plan, sources)
  const columns = await store.numbers(sql, names)
  const presenter = runSync(presentSteps(productionReport, context, columns, createGroupingLevels(context)))
  return wholeBody(presentGroups(presenter, context.request.flatten, plan.range))
}
