import type { ScheduleResponse } from '../../schema/records/schedule.ts'
import { addDays, instantOf, wallTime, weekdayOf } from './wall-time.ts'

/** A shift as it is worked on one date, UTC ms. */
export interface WorkedShift {
  readonly startMs: number
  readonly endMs: number
}

/** Number of past dates that are searched for the latest shift. */
const datesBack = 14

/**
 * The shift that is under way in a zone at an instant (UTC ms), or else the latest that is over; null: there is none. Of several schedules
 * that of the first by name with a shift counts, of shifts that overlap the one that began last.
 */
export function currentShift(
  schedules: readonly ScheduleResponse[],
  timeZone: string,
  nowMs: number,
): WorkedShift | null {
  const found = schedules
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .flatMap(schedule => latestShift(schedule, timeZone, nowMs) ?? [])
  return found.find(({ endMs }) => endMs > nowMs) ?? found[0] ?? null
}

function latestShift(schedule: ScheduleResponse, timeZone: string, nowMs: number): WorkedShift | null {
  const today = wallTime(nowMs, timeZone).slice(0, 10)
  for (let back = 0; back <= datesBack; back++) {
    // A shift may end on the date after that of its start.
    const begun = [addDays(today, -back), addDays(today, -back - 1)]
      .flatMap(date => startingOn(schedule, date, timeZone))
      .filter(({ startMs }) => startMs <= nowMs)
    const goingOn = begun.filter(({ endMs }) => endMs > nowMs).toSorted((a, b) => b.startMs - a.startMs)
    const [latest] = goingOn.length > 0 ? goingOn : begun.toSorted((a, b) => b.endMs - a.endMs)
    if (latest) return latest
  }
  return null
}

function startingOn(schedule: ScheduleResponse, date: string, timeZone: string): readonly WorkedShift[] {
  return timesOn(schedule, date)
    .map(({ start, end }) => ({
      startMs: instantOf(`${date}T${start}`, timeZone),
      endMs: instantOf(`${end > start ? date : addDays(date, 1)}T${end}`, timeZone),
    }))
    .filter(({ startMs, endMs }) => startMs < endMs)
}

/** Shifts of a date: those of its exception, or of the version that is in force on it. */
function timesOn({ versions, exceptions }: ScheduleResponse, date: string) {
  const exception = exceptions.find(each => each.date === date)
  if (exception) return exception.shifts
  const inForce = versions
    .filter(({ effectiveFrom }) => (effectiveFrom ?? '') <= date)
    .toSorted((a, b) => (a.effectiveFrom ?? '').localeCompare(b.effectiveFrom ?? ''))
    .at(-1)
  return inForce?.shifts.filter(({ days }) => days.includes(weekdayOf(date))) ?? []
}
