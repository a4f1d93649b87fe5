import { createCompanyViews } from '../../../api/reports/company/company-view.ts'
import { levelsOf, presentAnswer } from '../../../api/reports/pipeline.ts'
import { type ProductionPlan } from '../../../api/reports/plan/production.ts'
import { presentGroups } from '../../../api/reports/present/present.ts'
import { productionReport } from '../../../api/reports/production.ts'
import { type Sources, sourcesOf } from '../../../api/reports/sources/sources.ts'
import type { DayCoverage } from '../../../clickhouse/documents/day-coverage.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { calendarOf, type TestPlant } from './plant-support.ts'
import { type WholeBody, wholeBody } from './whole-body.ts'

/** The stages of a report one by one, so that a test can change data between them. */
export function planOf(plant: TestPlant, body: unknown, nowMs: number): ProductionPlan {
  const view = viewOf(plant)
  const calendar = calendarOf(view.company.settings, null)
  return productionReport.plan(productionReport.parse(body), { view, calendar, nowMs })
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
  const making = { request: productionReport.parse(body), plan, view: viewOf(plant) }
  await plant.project(store)
  const { sql, columns: names } = productionReport.compile(plan, sources)
  const columns = await store.numbers(sql, names)
  const presenter = presentAnswer(productionReport, making, columns, levelsOf(making))
  return wholeBody(presentGroups(presenter, { flatten: making.request.flatten, range: plan.range }))
}

function viewOf(plant: TestPlant) {
  const view = createCompanyViews(plant.records).of(plant.company.id)
  if (!view) throw new Error('There is no company')
  return view
}
