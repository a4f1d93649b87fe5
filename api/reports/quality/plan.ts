import type { Circumstances } from '../plan.ts'
import { reasonCodes } from '../events/reason.ts'
import { planEvents, type EventPlan } from '../events/plan.ts'
import type { ReportRequest } from '../request.ts'

/** How a quality report is answered. */
export interface QualityPlan extends EventPlan {
  readonly byReason: boolean
  /** Ids of adjustment types, 0: without one; null: all. */
  readonly reasons: readonly number[] | null
}

/** Pure: what has to be asked of the store for the request. */
export function planQuality(request: ReportRequest, circumstances: Circumstances): QualityPlan {
  return {
    ...planEvents(request, circumstances),
    byReason: request.groupBy.includes('reason'),
    reasons: reasonCodes(request.filters.reason, circumstances.view.adjustmentTypes),
  }
}
