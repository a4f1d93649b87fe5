import type { CompanySettings } from '../../schema/records/company.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import { dateText, dayNumber } from '../../shared/time/local-date.ts'
import { createShifts } from './shifts.ts'
import { createShopDays, dayBuckets, bucketDays, hourBuckets } from './shop-days.ts'
import { createSpanCache } from './span-cache.ts'
import { computeSpans } from './spans.ts'
import type { Calendar } from './types.ts'
import { createZone } from './zone.ts'

export type CalendarSettings = Pick<CompanySettings, 'timeZone' | 'startOfDay' | 'firstDayOfWeek'>

/**
 * Creates the calendar of all machines with one schedule (null: no schedule). It caches computed spans, so share it.
 * Throws a RangeError for an unknown time zone or an invalid time.
 */
export function createCalendar(settings: CalendarSettings, schedule: ScheduleRecord | null): Calendar {
  const zone = createZone(settings.timeZone)
  const shopDays = createShopDays(zone, settings.startOfDay)
  const shifts = createShifts(zone, schedule)
  const dayRange = (startDay: string, endDay: string) => ({
    startMs: shopDays.startMs(dayNumber(startDay)),
    endMs: shopDays.startMs(dayNumber(endDay) + 1),
  })
  return {
    spans: createSpanCache((fromMs, toMs) => computeSpans(zone, shopDays, shifts, fromMs, toMs)),
    shopDate: atMs => dateText(shopDays.at(atMs)),
    shopDayBounds: date => dayRange(date, date),
    bucketsOf: (unit, fromMs, toMs) =>
      unit === 'hour'
        ? hourBuckets(zone, shopDays, fromMs, toMs)
        : dayBuckets(shopDays, bucketDays(unit, settings.firstDayOfWeek), fromMs, toMs),
    dayRange,
    sameLocalTimeDatesBefore: (atMs, days) => zone.daysBefore(atMs, days),
  }
}
