import type { CompanyView } from '../company/company-view.ts'
import { reasonCodes } from '../groupings/reasons.ts'
import type { ReportRequest } from '../request/request.ts'
import { keepsNothing } from './filters.ts'
import { planReport, type ReportPlan } from './plan.ts'

/** How a quality report is answered. */
export interface QualityPlan extends ReportPlan {
  /** Ids of adjustment types, 0: without one; null: all. */
  readonly reasons: readonly number[] | null
}

/** Pure: plans the query of the request. Rows are grouped by job run, which determines the operation. */
export function planQuality(request: ReportRequest, view: CompanyView): QualityPlan {
  const plan = planReport(request, view)
  const reasons = reasonCodes(request.filters.reason, view.adjustmentTypes)
  return {
    ...plan,
    keys: { ...plan.keys, run: plan.keys.operation, operation: false },
    matchesNothing: plan.matchesNothing || keepsNothing([reasons]),
    reasons,
  }
}
