import type { Calendar, TimeRange } from '../../../processors/calendar/types.ts'
import type { RequestedRange } from '../request/request.ts'

/** Grouping by hour covers at most this many dates. */
const hourGroupingDates = 7

/** No report begins before: the store counts seconds from 1970 on, and a week, month or quarter must not begin before that. */
const earliestMs = Date.UTC(1970, 4, 1)

/**
 * Cuts a requested range to the time that a report covers: from May 1970 to now, and with a grouping by hour at most
 * the last seven dates of it. A range in the future is empty, at now; a range that is too old is empty, too.
 */
export function clampRange(
  requested: RequestedRange,
  options: { readonly calendar: Calendar; readonly nowMs: number; readonly byHour: boolean },
): TimeRange {
  const { calendar, nowMs, byHour } = options
  const asked = requested.form === 'days' ? calendar.dayRange(requested.startDay, requested.endDay) : requested
  const { startMs, endMs } = clampInstants(asked, nowMs)
  if (!byHour || startMs === endMs) return { startMs, endMs }
  return { startMs: Math.max(startMs, calendar.sameLocalTimeDatesBefore(endMs, hourGroupingDates)), endMs }
}

/** Cuts a range to the time from May 1970 to now; what lies outside of it is empty. */
export function clampInstants({ startMs, endMs }: TimeRange, nowMs: number): TimeRange {
  const cut = (ms: number) => Math.min(Math.max(ms, earliestMs), nowMs)
  return { startMs: cut(startMs), endMs: cut(endMs) }
}
