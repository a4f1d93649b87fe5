import { hourMs } from '../../schema/document.ts'
import type { Calendar, TimeRange } from '../../processors/calendar/types.ts'
import type { RequestedRange } from './request.ts'

/** Grouping by hour covers at most this many dates. */
const hourGroupingDates = 7

/** What a report covers: nothing after now, and with a grouping by hour at most seven dates. A range in the future is empty, at now. */
export function usedRange(
  requested: RequestedRange,
  options: { readonly calendar: Calendar; readonly nowMs: number; readonly byHour: boolean },
): TimeRange {
  const { calendar, nowMs, byHour } = options
  const asked = requested.form === 'days' ? calendar.dayRange(requested.startDay, requested.endDay) : requested
  const startMs = Math.min(asked.startMs, nowMs)
  const endMs = Math.min(asked.endMs, nowMs)
  if (!byHour || startMs === endMs) return { startMs, endMs }
  return { startMs: Math.max(startMs, calendar.sameLocalTimeDatesBefore(endMs, hourGroupingDates)), endMs }
}

/** A range as whole UTC hours and the cut hours at its edges. The hour that holds now is always cut, as the range ends at now. */
export interface SplitRange {
  /** Bounds are starts of UTC hours; null: no hour lies wholly in the range. */
  readonly whole: TimeRange | null
  /** Parts of hours (of at most two), ascending. */
  readonly cut: readonly TimeRange[]
}

export function splitRange({ startMs, endMs }: TimeRange): SplitRange {
  const whole = { startMs: Math.ceil(startMs / hourMs) * hourMs, endMs: Math.floor(endMs / hourMs) * hourMs }
  if (whole.startMs >= whole.endMs) return { whole: null, cut: notEmpty({ startMs, endMs }) }
  const before = { startMs, endMs: whole.startMs }
  const after = { startMs: whole.endMs, endMs }
  return { whole, cut: notEmpty(before, after) }
}

function notEmpty(...ranges: readonly TimeRange[]): readonly TimeRange[] {
  return ranges.filter(({ startMs, endMs }) => startMs < endMs)
}
