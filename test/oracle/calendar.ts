import { Temporal } from 'temporal-polyfill'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { ScheduleRecord, Shift, ShiftTimes } from '../../schema/records/schedule.ts'
import type { Interval } from './types.ts'

export type TimeGroup = 'hour' | 'day' | 'week' | 'month' | 'quarter'

export const timeGroups: readonly TimeGroup[] = ['hour', 'day', 'week', 'month', 'quarter']

/** Limits of a bucket, not cut to the range of a report; `shopDate` is the (first) shop day that contains its start. */
export interface Bucket extends Interval {
  readonly shopDate: Temporal.PlainDate
}

type Clock = Pick<CompanySettings, 'timeZone' | 'startOfDay' | 'firstDayOfWeek'>

/** Returns the local date and time of an instant. */
export function local(atMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone)
}

/**
 * Returns the instant, UTC ms, of a local time on a date. A local time in a gap is moved forward; of two instants, the
 * first one is used.
 */
export function wallTime(date: Temporal.PlainDate, time: string, timeZone: string): number {
  return date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds
}

/** Returns the start of the shop day `date`, UTC ms. */
export function shopDayStart(date: Temporal.PlainDate, clock: Clock): number {
  return wallTime(date, clock.startOfDay, clock.timeZone)
}

/** Returns the shop day that contains the instant. */
function shopDateAt(atMs: number, clock: Clock): Temporal.PlainDate {
  let date = local(atMs, clock.timeZone).toPlainDate().add({ days: 1 })
  while (shopDayStart(date, clock) > atMs) date = date.subtract({ days: 1 })
  return date
}

/** Returns the bucket that contains the instant. */
export function bucketAt(group: TimeGroup, atMs: number, clock: Clock): Bucket {
  const today = shopDateAt(atMs, clock)
  switch (group) {
    case 'hour': {
      const hour = hourAt(atMs, clock.timeZone)
      return { ...hour, shopDate: shopDateAt(hour.startMs, clock) }
    }
    case 'day':
      return shopDays(today, { days: 1 }, clock)
    case 'week':
      return shopDays(today.subtract({ days: (today.dayOfWeek - clock.firstDayOfWeek + 7) % 7 }), { days: 7 }, clock)
    case 'month':
      return shopDays(today.with({ day: 1 }), { months: 1 }, clock)
    case 'quarter':
      return shopDays(today.with({ day: 1, month: Math.floor((today.month - 1) / 3) * 3 + 1 }), { months: 3 }, clock)
    default:
      throw new Error(`unknown time group ${String(group satisfies never)}`)
  }
}

function shopDays(first: Temporal.PlainDate, length: Temporal.DurationLike, clock: Clock): Bucket {
  return { startMs: shopDayStart(first, clock), endMs: shopDayStart(first.add(length), clock), shopDate: first }
}

/** Returns the hour bucket of an instant: it is limited by full local hours and by changes of the offset. */
function hourAt(atMs: number, timeZone: string): Interval {
  const here = local(atMs, timeZone)
  const sinceFullHour = (here.minute * 60 + here.second) * 1000 + here.millisecond
  // `previous` excludes the instant itself, which may be the change of the offset.
  const changed = local(atMs + 1, timeZone).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity
  const changes = here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
  const fullHour = atMs - sinceFullHour
  return { startMs: Math.max(fullHour, changed), endMs: Math.min(fullHour + 3_600_000, changes) }
}

/** Returns the buckets from the one that contains `startMs` to `endMs`; none for an empty range. */
export function bucketsOver(group: TimeGroup, { startMs, endMs }: Interval, clock: Clock): readonly Bucket[] {
  const buckets: Bucket[] = []
  for (let atMs = startMs; atMs < endMs; atMs = buckets.at(-1)?.endMs ?? endMs)
    buckets.push(bucketAt(group, atMs, clock))
  return buckets
}

/** A shift on one date. */
export interface ShiftInstance extends Interval {
  readonly shift: ShiftTimes
}

/** Returns the shifts that start on a local date by a schedule; null if no version is in force. */
export function inForce(schedule: ScheduleRecord, date: Temporal.PlainDate): readonly ShiftTimes[] | null {
  const exception = schedule.exceptions.find(it => it.date === date.toString())
  if (exception) return exception.shifts
  const since = (from: string | null) => (from === null ? '' : from)
  const [version] = schedule.versions
    .filter(it => since(it.effectiveFrom) <= date.toString())
    .toSorted((a, b) => (since(a.effectiveFrom) < since(b.effectiveFrom) ? 1 : -1))
  return version ? version.shifts.filter((it: Shift) => it.days.includes(date.dayOfWeek)) : null
}

/** Returns the shift instances that overlap the interval; of two that overlap, the later one in the list applies. */
export function shiftInstances(schedule: ScheduleRecord, over: Interval, timeZone: string): readonly ShiftInstance[] {
  const instances: ShiftInstance[] = []
  const last = local(over.endMs, timeZone).toPlainDate()
  for (
    let date = local(over.startMs, timeZone).toPlainDate().subtract({ days: 3 });
    Temporal.PlainDate.compare(date, last) <= 0;
    date = date.add({ days: 1 })
  ) {
    for (const shift of inForce(schedule, date) ?? []) {
      const endDate = shift.end <= shift.start ? date.add({ days: 1 }) : date
      const startMs = wallTime(date, shift.start, timeZone)
      const endMs = wallTime(endDate, shift.end, timeZone)
      if (endMs > startMs) instances.push({ shift, startMs, endMs })
    }
  }
  return instances.toSorted((a, b) => a.startMs - b.startMs)
}

/** Returns the local midnights within the interval, at which another version can take effect. */
export function midnights({ startMs, endMs }: Interval, timeZone: string): readonly number[] {
  const found: number[] = []
  for (
    let day = local(startMs, timeZone).startOfDay();
    day.epochMilliseconds <= endMs;
    day = day.toPlainDate().add({ days: 1 }).toZonedDateTime(timeZone)
  )
    found.push(day.epochMilliseconds)
  return found
}
