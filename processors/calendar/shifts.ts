import type { ScheduleRecord, Shift, ShiftTimes } from '../../schema/records/schedule.ts'
import { type DayNumber, dayNumber, timeOfDayMs, weekday } from '../../shared/time/local-date.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { Zone } from './zone.ts'

/** One shift on one date, as it is worked. */
export interface ShiftInstance {
  readonly startMs: number
  readonly endMs: number
  /** `ref` of the shift's definition. */
  readonly shift: number
  readonly optional: boolean
  /** Place in the schedule: of two that start together the later one holds. */
  readonly order: number
}

/** A schedule in a zone: what is in force on a date, and the shifts that touch a range. */
export interface Shifts {
  /** Whether a version or an exception is in force on a local date. */
  inForce(day: DayNumber): boolean
  /** Instances that overlap [fromMs, toMs), the one that holds where they overlap last. */
  instances(fromMs: number, toMs: number): ShiftInstance[]
}

interface PlannedShift {
  readonly times: ShiftTimes
  /** ISO weekdays; null: on its exception's date. */
  readonly days: readonly number[] | null
  readonly startMs: number
  /** From the midnight of the date it starts on: above a day where it ends on the next date. */
  readonly endMs: number
  readonly order: number
}

/** Without a schedule nothing is ever in force. */
export function createShifts(zone: Zone, schedule: ScheduleRecord | null): Shifts {
  const inForceOn = createInForce(schedule)
  const instance = (day: DayNumber, shift: PlannedShift): ShiftInstance => ({
    startMs: zone.instantOf(day, shift.startMs),
    endMs: zone.instantOf(day, shift.endMs),
    shift: shift.times.ref,
    optional: shift.times.optional,
    order: shift.order,
  })
  const startingOn = (day: DayNumber): ShiftInstance[] =>
    (inForceOn(day) ?? [])
      .filter(({ days }) => days === null || days.includes(weekday(day)))
      .map(shift => instance(day, shift))
  return {
    inForce: day => inForceOn(day) !== null,
    instances(fromMs, toMs) {
      const found: ShiftInstance[] = []
      // Two dates back for a shift of up to 24 h that ends on the next date, one more where a zone left out a date.
      for (let day = zone.localDay(fromMs) - 3; day <= zone.localDay(toMs) + 1; day++)
        found.push(
          ...startingOn(day).filter(({ startMs, endMs }) => startMs < endMs && startMs < toMs && endMs > fromMs),
        )
      return found.sort((a, b) => a.startMs - b.startMs || a.order - b.order)
    },
  }
}

/** The shifts in force on a date; null: no version and no exception is. */
function createInForce(schedule: ScheduleRecord | null): (day: DayNumber) => readonly PlannedShift[] | null {
  let order = 0
  const plan = (times: ShiftTimes, days: readonly number[] | null): PlannedShift => {
    const startMs = timeOfDayMs(times.start)
    const endMs = timeOfDayMs(times.end)
    return { times, days, startMs, endMs: endMs > startMs ? endMs : endMs + dayMs, order: order++ }
  }
  const versions = (schedule?.versions ?? []).map(({ effectiveFrom, shifts }) => ({
    from: effectiveFrom === null ? -Infinity : dayNumber(effectiveFrom),
    shifts: shifts.map((shift: Shift) => plan(shift, shift.days)),
  }))
  const exceptions = new Map(
    (schedule?.exceptions ?? []).map(
      ({ date, shifts }) => [dayNumber(date), shifts.map(shift => plan(shift, null))] as const,
    ),
  )
  versions.sort((a, b) => b.from - a.from || 0)
  return day => exceptions.get(day) ?? versions.find(({ from }) => from <= day)?.shifts ?? null
}
