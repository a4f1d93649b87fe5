import { Temporal } from 'temporal-polyfill'
import type { CalendarSettings } from '../../../processors/calendar/calendar.ts'
import type { ScheduleRecord, ShiftTimes } from '../../../schema/records/schedule.ts'

export interface Moment {
  readonly shift: number
  readonly optional: boolean
  readonly nonOptional: boolean
}

interface Instance {
  readonly start: number
  readonly end: number
  readonly shift: ShiftTimes
}

/** Computes the calendar at one instant with Temporal only, in the simplest way. */
export function naiveMoment({ timeZone }: CalendarSettings, schedule: ScheduleRecord | null, atMs: number): Moment {
  const today = zoned(timeZone, atMs).toPlainDate()
  const inForce = (date: Temporal.PlainDate): readonly ShiftTimes[] | null => {
    const exception = schedule?.exceptions.find(({ date: on }) => on === date.toString())
    if (exception) return exception.shifts
    const versions = (schedule?.versions ?? []).filter(
      ({ effectiveFrom }) => effectiveFrom === null || effectiveFrom <= date.toString(),
    )
    const version = versions.sort((a, b) => ((a.effectiveFrom ?? '') < (b.effectiveFrom ?? '') ? -1 : 1)).at(-1)
    return version ? version.shifts.filter(({ days }) => days.includes(date.dayOfWeek)) : null
  }
  const instances: Instance[] = []
  for (const days of [-3, -2, -1, 0, 1]) {
    const date = today.add({ days })
    for (const shift of inForce(date) ?? []) {
      const start = at(timeZone, date, shift.start)
      const end = at(timeZone, shift.end > shift.start ? date : date.add({ days: 1 }), shift.end)
      if (start <= atMs && atMs < end) instances.push({ start, end, shift })
    }
  }
  // `>=`, because of two shifts that start together the later one in the list applies.
  const holds = instances.reduce<Instance | null>((best, one) => (best && best.start > one.start ? best : one), null)
  if (holds) return { shift: holds.shift.ref, optional: holds.shift.optional, nonOptional: !holds.shift.optional }
  return { shift: 0, optional: false, nonOptional: inForce(today) === null }
}

/** Whether a cell begins at an instant: a full local hour, a change of the offset or a start of day. */
export function naiveCellBound({ timeZone, startOfDay }: CalendarSettings, atMs: number): boolean {
  const here = zoned(timeZone, atMs)
  return (
    here.minute === 0 ||
    here.offset !== zoned(timeZone, atMs - 1).offset ||
    at(timeZone, here.toPlainDate(), startOfDay) === atMs
  )
}

function zoned(timeZone: string, atMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone)
}

function at(timeZone: string, date: Temporal.PlainDate, time: string): number {
  return date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds
}
