import type { CompanySettings } from '../../schema/records/company.ts'
import { dateText, type DayNumber, monthsAround, startOfWeek, timeOfDayMs } from '../../shared/time/local-date.ts'
import type { Bucket, BucketUnit } from './types.ts'
import type { Zone } from './zone.ts'

/** A company's shop days: each begins at the company's start of day, in local time, on its date. */
export interface ShopDays {
  startMs(day: DayNumber): number
  /** Returns the shop day that contains an instant. */
  at(atMs: number): DayNumber
}

/** `startOfDay` is `HH:mm`. */
export function createShopDays(zone: Zone, startOfDay: CompanySettings['startOfDay']): ShopDays {
  const startOfDayMs = timeOfDayMs(startOfDay)
  const startMs = (day: DayNumber): number => zone.instantOf(day, startOfDayMs)
  return {
    startMs,
    at(atMs) {
      // Starts at the next date and goes back: if the time zone skipped a date, its shop day is empty, and the next one
      // contains the instant.
      let day = zone.localDay(atMs) + 1
      while (startMs(day) > atMs) day--
      return day
    },
  }
}

/** Returns the local hours that overlap [fromMs, toMs), cut where the offset of the zone changes. */
export function hourBuckets(zone: Zone, shopDays: ShopDays, fromMs: number, toMs: number): Bucket[] {
  if (fromMs >= toMs) return []
  const bounds = zone.hourBounds(fromMs, toMs)
  const buckets: Bucket[] = []
  for (const [index, startMs] of bounds.entries()) {
    const endMs = bounds[index + 1]
    if (endMs !== undefined) buckets.push({ startMs, endMs, shopDate: dateText(shopDays.at(startMs)) })
  }
  return buckets
}

/** Returns the buckets of whole shop days that overlap [fromMs, toMs). */
export function dayBuckets(
  shopDays: ShopDays,
  daysAround: (day: DayNumber) => DayRange,
  fromMs: number,
  toMs: number,
): Bucket[] {
  const buckets: Bucket[] = []
  if (fromMs >= toMs) return buckets
  for (let days = daysAround(shopDays.at(fromMs)); shopDays.startMs(days.first) < toMs; days = daysAround(days.next)) {
    const startMs = shopDays.startMs(days.first)
    const endMs = shopDays.startMs(days.next)
    if (startMs < endMs) buckets.push({ startMs, endMs, shopDate: dateText(days.first) })
  }
  return buckets
}

export interface DayRange {
  readonly first: DayNumber
  readonly next: DayNumber
}

/** Returns a function that finds the days of the bucket that contains a day. */
export function bucketDays(unit: Exclude<BucketUnit, 'hour'>, firstDayOfWeek: number): (day: DayNumber) => DayRange {
  const units: Readonly<Record<typeof unit, (day: DayNumber) => DayRange>> = {
    day: first => ({ first, next: first + 1 }),
    week: day => ({ first: startOfWeek(day, firstDayOfWeek), next: startOfWeek(day, firstDayOfWeek) + 7 }),
    month: day => monthsAround(day, 1),
    quarter: day => monthsAround(day, 3),
  }
  return units[unit]
}
