import type { CompanySettings } from '../../schema/records/company.ts'
import { dateText, type DayNumber, monthsAround, startOfWeek, timeOfDayMs } from '../../shared/time/local-date.ts'
import type { Bucket, BucketUnit } from './types.ts'
import type { Zone } from './zone.ts'

/** A company's days: each begins at the start of day on its date, by the wall clock. */
export interface ShopDays {
  startMs(day: DayNumber): number
  /** The day that holds an instant. */
  at(atMs: number): DayNumber
}

/** `startOfDay` is `HH:mm`. */
export function createShopDays(zone: Zone, startOfDay: CompanySettings['startOfDay']): ShopDays {
  const startOfDayMs = timeOfDayMs(startOfDay)
  const startMs = (day: DayNumber): number => zone.instantOf(day, startOfDayMs)
  return {
    startMs,
    at(atMs) {
      // From the next date down: where a zone left out a date, its day has no length and the date after it holds.
      let day = zone.localDay(atMs) + 1
      while (startMs(day) > atMs) day--
      return day
    },
  }
}

/** Local hours that overlap [fromMs, toMs), each also cut where the zone's offset changes. */
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

/** Buckets of whole shop days that overlap [fromMs, toMs). */
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

/** The days of the bucket that holds a day. */
export function daysOf(unit: Exclude<BucketUnit, 'hour'>, firstDayOfWeek: number): (day: DayNumber) => DayRange {
  const units: Readonly<Record<typeof unit, (day: DayNumber) => DayRange>> = {
    day: first => ({ first, next: first + 1 }),
    week: day => ({ first: startOfWeek(day, firstDayOfWeek), next: startOfWeek(day, firstDayOfWeek) + 7 }),
    month: day => monthsAround(day, 1),
    quarter: day => monthsAround(day, 3),
  }
  return units[unit]
}
