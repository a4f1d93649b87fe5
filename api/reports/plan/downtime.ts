import type { FilterView } from '../company/job-runs.ts'
import { reasonCodes } from '../groupings/entity-resolvers.ts'
import type { ReportRequest } from '../request/parse.ts'
import { type Microstops, withMicrostopEnds } from './microstops.ts'
import { keepsNothing, planReport, type ReportPlan, shopDaysIn } from './plan.ts'

export interface DowntimePlan extends ReportPlan {
  readonly nowMs: number
  /** Stored codes; null: all. */
  readonly reasons: readonly number[] | null
  readonly microstops: Microstops
  /** No run's ref is higher. */
  readonly lastRun: number
}

/** Pure: plans the query of the request. */
export function planDowntime(request: ReportRequest, view: FilterView): DowntimePlan {
  const plan = planReport(request, view)
  const { calendar, nowMs, microstops, lastRun } = view
  const reasons = reasonCodes(request.filters.reason, view.reasons)
  return {
    ...plan,
    readRange: withMicrostopEnds(plan.range, microstops, nowMs),
    shopDays: shopDaysIn(plan.range, calendar),
    matchesNothing: plan.matchesNothing || keepsNothing([reasons]),
    nowMs,
    reasons,
    microstops,
    lastRun,
  }
}

/** Whether groups or lengths of records matter. Otherwise each element states whether it is the first of a record. */
export function needsWholeRecords({ keys, filters, microstops }: DowntimePlan): boolean {
  const { cell, shift, operation } = keys
  return microstops.size > 0 || cell || shift || operation || filters.shifts !== null || filters.runs !== null
}
