import type { TimeRange } from '../../../processors/calendar/types.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { type Circumstances, shopDaysIn } from '../plan.ts'
import { reasonCodes } from '../events/reason.ts'
import { planEvents, type EventPlan } from '../events/plan.ts'
import { mostRuns } from '../job-run-lookup.ts'
import type { ReportRequest } from '../request.ts'

/** How a downtime report is answered. */
export interface DowntimePlan extends EventPlan {
  readonly nowMs: number
  /** Hours to be read: further than the range where it must be known how long records last. */
  readonly readRange: TimeRange
  /** Shop days in the range that documents of days could answer for. */
  readonly shopDays: readonly TimeRange[]
  /** Those that they do answer for. */
  readonly days: readonly TimeRange[]
  readonly byReason: boolean
  /** Stored codes; null: all. */
  readonly reasons: readonly number[] | null
  /** ms under which records aren't counted, by machine, where above 0. */
  readonly microstops: ReadonlyMap<number, number>
  /** See `job-run-lookup.ts`. */
  readonly isDense: boolean
}

/** No microstop is longer. */
const longestMicrostopMs = hourMs

/** Pure: what has to be asked of the store for the request. */
export function planDowntime(request: ReportRequest, circumstances: Circumstances): DowntimePlan {
  const { view, nowMs } = circumstances
  const plan = planEvents(request, circumstances)
  const { startMs, endMs } = plan.range
  const { microstops } = view
  const readEndMs = microstops.size > 0 ? Math.min(endMs + longestMicrostopMs, nowMs) : endMs
  return {
    ...plan,
    keys: { ...plan.keys, run: false, operation: plan.keys.run },
    nowMs,
    readRange: { startMs, endMs: readEndMs },
    shopDays: shopDaysIn(plan.range, circumstances.calendar),
    days: [],
    byReason: request.groupBy.includes('reason'),
    reasons: reasonCodes(request.filters.reason, view.reasons),
    microstops,
    isDense: view.lastRun <= mostRuns,
  }
}

/** Whether it matters in which places a record lies or how long it is: else it is known of each piece whether it is a record's first. */
export function needsWholeRecords({ keys, filters, microstops }: DowntimePlan): boolean {
  const { cell, shift, operation } = keys
  return microstops.size > 0 || cell || shift || operation || filters.shifts !== null || filters.runs !== null
}
