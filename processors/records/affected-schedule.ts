import type {
  ScheduleException,
  ScheduleRecord,
  ScheduleVersion,
  Shift,
  ShiftTimes,
} from '../../schema/records/schedule.ts'
import type { Range } from '../timeline/commission.ts'
import { joinRanges } from './ranges.ts'
import { dayMs } from '../../shared/time/units.ts'

/**
 * Returns the UTC ranges in which two versions of a schedule differ. They are wide enough for every time zone, and for
 * shifts that end on the next date.
 */
export function scheduleDifference(before: ScheduleRecord | null, after: ScheduleRecord | null): Range[] {
  return joinRanges([
    ...versionDifference(before?.versions ?? [], after?.versions ?? []),
    ...exceptionDates(before, after),
  ])
}

/** Returns the range of the dates [from, to). from '' is an unbounded start, to null an unbounded end. */
function datesRange(from: string, to: string | null): Range {
  return {
    fromMs: from === '' ? 0 : Math.max(0, dateMs(from) - dayMs),
    toMs: to === null ? Infinity : dateMs(to) + 2 * dayMs,
  }
}

function versionDifference(before: readonly ScheduleVersion[], after: readonly ScheduleVersion[]): Range[] {
  const starts = ['', ...[...before, ...after].map(startOf)]
  const bounds = [...new Set(starts)].sort()
  return bounds.flatMap((from, index) =>
    inForce(before, from) === inForce(after, from) ? [] : [datesRange(from, bounds[index + 1] ?? null)],
  )
}

function exceptionDates(before: ScheduleRecord | null, after: ScheduleRecord | null): Range[] {
  const [old, now] = [before, after].map(schedule => contents(schedule?.exceptions ?? []))
  const dates = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])
  return [...dates].filter(date => old?.get(date) !== now?.get(date)).map(date => datesRange(date, dateAfter(date)))
}

function contents(exceptions: readonly ScheduleException[]): Map<string, string> {
  return new Map(exceptions.map(({ date, shifts }) => [date, JSON.stringify(shifts.map(timesContent))]))
}

/** Returns the content of the shifts of the version in force on a date; null if no version is in force. */
function inForce(versions: readonly ScheduleVersion[], date: string): string | null {
  const started = versions.filter(version => startOf(version) <= date)
  const latest = started.sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1)).at(-1)
  return latest ? JSON.stringify(latest.shifts.map(shiftContent)) : null
}

function startOf({ effectiveFrom }: ScheduleVersion): string {
  return effectiveFrom ?? ''
}

/** Returns the fields of a shift on which documents depend; its name is not among them. */
function timesContent({ ref, optional, start, end }: ShiftTimes): readonly unknown[] {
  return [ref, optional, start, end]
}

function shiftContent(shift: Shift): readonly unknown[] {
  return [...timesContent(shift), shift.days.toSorted((a, b) => a - b)]
}

function dateMs(date: string): number {
  return Date.parse(`${date}T00:00:00.000Z`)
}

function dateAfter(date: string): string {
  return new Date(dateMs(date) + dayMs).toISOString().slice(0, 10)
}
