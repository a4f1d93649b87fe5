import type { ScheduleResponse } from '../../../schema/records/schedule.ts'
import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'
import { currentShift } from '../../time/current-shift.ts'

/** Range of the bars of all machines, UTC ms. */
export interface BarRange {
  /** The shift so far, the last shift, or the last 8 hours. */
  readonly kind: 'shift' | 'lastShift' | 'hours'
  readonly startMs: number
  readonly endMs: number
}

/** Length of a usual shift. */
const hoursMs = 8 * 3_600_000
/** The states of a younger shift say little. */
const youngMs = 3_600_000

/**
 * Returns the range of the bars at an instant (UTC ms): from the start of the current shift until now; outside of a
 * shift the last one; of a company without shifts, or in the first hour of a shift, the last 8 hours.
 */
export function barRange(schedules: readonly ScheduleResponse[], timeZone: string, nowMs: number): BarRange {
  const shift = currentShift(schedules, timeZone, nowMs)
  if (shift && shift.endMs <= nowMs) return { kind: 'lastShift', ...shift }
  if (shift && nowMs - shift.startMs >= youngMs) return { kind: 'shift', startMs: shift.startMs, endMs: nowMs }
  return { kind: 'hours', startMs: nowMs - hoursMs, endMs: nowMs }
}

/** The name of a range, such as "Since 14:00". */
export function barRangeText(
  { kind, startMs, endMs }: BarRange,
  { t, format }: { readonly t: Texts; readonly format: Format },
): string {
  const words = t.floor.bar
  if (kind === 'hours') return words.hours
  return kind === 'shift'
    ? words.shift(format.clock(startMs))
    : words.lastShift(format.clock(startMs), format.clock(endMs))
}
