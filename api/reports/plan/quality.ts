import { reasonCodes } from '../groupings/reasons.ts'
import type { ReportRequest } from '../request/request.ts'
import { keepsNothing } from './filters.ts'
import { type Circumstances, planReport, type ReportPlan } from './plan.ts'

/** How a quality report is answered. */
export interface QualityPlan extends ReportPlan {
  /** Ids of adjustment types, 0: without one; null: all. */
  readonly reasons: readonly number[] | null
}

/** Pure: plans the query of the request. Rows are grouped by job run, which determines the operation. */
export function planQuality(request: ReportRequest, circumstances: Circumstances): QualityPlan {
  const plan = planReport(request, circumstances)
  const reasons = reasonCodes(request.filters.reason, circumstances.view.adjustmentTypes)
  return {
    ...plan,
    keys: { ...plan.keys, run: plan.keys.operation, operation: false },
    findsNothing: plan.findsNothing || keepsNothing([reasons]),
    reasons,
  }
}
