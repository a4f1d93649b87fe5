import { downtimeReport } from '../../../api/reports/downtime.ts'
import { createGroupingLevels } from '../../../api/reports/groupings/grouping-levels.ts'
import { presentSteps } from '../../../api/reports/pipeline.ts'
import { runSync } from '../../../shared/async/steps.ts'
import type { DowntimePlan } from '../../../api/reports/plan/downtime.ts'
import { presentGroups } from '../../../api/reports/present/present.ts'
import { sourcesOf } from '../../../api/reports/sources/sources.ts'
import type { DayBounds } from '../../../clickhouse/documents/day-coverage.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { FilterView, NamedView } from '../../../api/reports/company/job-runs.ts'
import type { RecordBody } from './event-support.ts'
import { wholeBody } from './whole-body.ts'

export function planOfDowntime(body: object, view: FilterView): DowntimePlan {
  return downtimeReport.plan(downtimeReport.parse(body), view)
}

/** The query of a plan that reads these days from day documents. */
export function compileDowntime(plan: DowntimePlan, days: readonly DayBounds[] = []) {
  const coverage = { covered: days, stale: [] }
  return downtimeReport.compile(plan, sourcesOf(plan, downtimeReport.sources, { coverage }))
}

/** The report of a plan, computed from the store; records of job runs must be projected. */
export async function downtimeAnswer(
  body: object,
  plan: DowntimePlan,
  view: NamedView,
  from: Store,
  days: readonly DayBounds[] = [],
): Promise<RecordBody> {
  const query = compileDowntime(plan, days)
  const columns = await from.numbers(query.sql, query.columns)
  const context = { request: downtimeReport.parse(body), plan, view }
  const entityResolvers = await downtimeReport.entityResolvers?.(context, columns, { store: from, options: {} })
  const presenter = runSync(
    presentSteps(downtimeReport, context, columns, createGroupingLevels(context, entityResolvers)),
  )
  return wholeBody(presentGroups(presenter, context.request.flatten, plan.range))
}
