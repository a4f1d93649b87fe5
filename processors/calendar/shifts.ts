import type { ScheduleRecord, Shift, ShiftTimes } from '../../schema/records/schedule.ts'
import { type DayNumber, dayNumber, timeOfDayMs, weekday } from '../../shared/time/local-date.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { Zone } from './zone.ts'

/** Occurrence of a shift on one date. */
export interface ShiftInstance {
  readonly startMs: number
  readonly endMs: number
  /** `ref` of the shift's definition. */
  readonly shift: number
  readonly optional: boolean
  /** Position in the schedule: of two shifts that start together, the one with the higher position is in force. */
  readonly order: number
}

/** Occurrences of a schedule's shifts in a time zone. */
export interface Shifts {
  /** Returns whether a version or an exception is in force on a local date. */
  inForce(day: DayNumber): boolean
  /**
   * Returns the instances that overlap [fromMs, toMs), in an order in which the last instance that includes an instant
   * is in force at this instant.
   */
  instances(fromMs: number, toMs: number): ShiftInstance[]
}

interface PlannedShift {
  readonly times: ShiftTimes
  /** ISO weekdays; null for a shift of an exception. */
  readonly days: readonly number[] | null
  readonly startMs: number
  /** Milliseconds from midnight of the date on which the shift starts: more than a day if it ends on the next date. */
  readonly endMs: number
  readonly order: number
}

/** Creates the shifts of a schedule. Without a schedule, nothing is in force on any date. */
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
      // A shift of up to 24 h that ends on the next date may start two dates earlier; three if the time zone skipped a
      // date.
      for (let day = zone.localDay(fromMs) - 3; day <= zone.localDay(toMs) + 1; day++)
        found.push(
          ...startingOn(day).filter(({ startMs, endMs }) => startMs < endMs && startMs < toMs && endMs > fromMs),
        )
      return found.sort((a, b) => a.startMs - b.startMs || a.order - b.order)
    },
  }
}

/**
 * Returns a function that finds the shifts in force on a date; it returns null if no version or exception is in force.
 */
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
