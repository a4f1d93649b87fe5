import type { ScheduleResponse } from '../../schema/records/schedule.ts'
import { currentShift, type WorkedShift } from './current-shift.ts'
import { type DayRule, shopDate } from './shop-date.ts'
import { addDays, daysIn, instantOf, wallTime, weekdayOf } from './wall-time.ts'

/** Ranges that can be chosen; `custom` has a start and an end of its own. */
export const periods = [
  'shift',
  'today',
  'yesterday',
  'hours24',
  'week',
  'lastWeek',
  'month',
  'lastMonth',
  'days7',
  'days30',
  'custom',
] as const
export type Period = (typeof periods)[number]

/** The value of `period` in an address if there is no such period; otherwise null. */
export function unknownPeriodIn(query: URLSearchParams): string | null {
  const asked = query.get('period')
  return asked === null || periods.some(each => each === asked) ? null : asked
}

/** A choice of a range. `from` and `to` count for `custom`: shop dates, both included, or wall times `YYYY-MM-DDTHH:mm`. */
export interface PeriodChoice {
  readonly period: Period
  readonly from: string
  readonly to: string
}

/** Range of a report: shop days, both included, or instants. */
export type ReportRange =
  { readonly startDay: string; readonly endDay: string } | { readonly start: string; readonly end: string }

/** A range, and the one before it that it is compared with: as long, and where it is still going on, as far as it has come. */
export interface ComparedRange {
  readonly range: ReportRange
  readonly before: ReportRange
  /** Length in days; parts of days count. */
  readonly days: number
  /** Whether the period is in progress: its values still change. */
  readonly isOpen: boolean
}

export interface PeriodRule extends DayRule {
  /** 1 = Monday … 7 = Sunday. */
  readonly firstDayOfWeek: number
  /** They tell the current shift: without one it is today. */
  readonly schedules?: readonly ScheduleResponse[]
}

const dayMs = 86_400_000
const minuteMs = 60_000

/** The range of a choice at a moment (UTC ms). */
export function rangeOf(choice: PeriodChoice, rule: PeriodRule, nowMs: number): ComparedRange {
  if (choice.period === 'custom' && `${choice.from}${choice.to}`.includes('T')) return timesOf(choice, rule, nowMs)
  if (choice.period === 'hours24') return lastHours(24, nowMs)
  const shift = choice.period === 'shift' ? currentShift(rule.schedules ?? [], rule.timeZone, nowMs) : null
  if (shift) return shiftRange(shift, rule.timeZone, nowMs)
  const today = shopDate(nowMs, rule)
  const [startDay, endDay] = datesOf(choice, rule, today)
  const days = daysOf(choice.period, startDay, endDay)
  const isOpen = endDay >= today && startDay <= today
  const dayBefore = addDays(startDay, -1)
  const startBefore = isMonth(choice.period) ? firstOfMonth(dayBefore) : addDays(startDay, -days)
  const before = isOpen ? soFar(startBefore, startDay, rule, nowMs) : { startDay: startBefore, endDay: dayBefore }
  return { range: { startDay, endDay }, before, days, isOpen }
}

function isMonth(period: Period): boolean {
  return period === 'month' || period === 'lastMonth'
}

/** Length of a period in days. The current week and month count in full. */
function daysOf(period: Period, startDay: string, endDay: string): number {
  if (period === 'week') return 7
  return daysIn(startDay, period === 'month' ? addDays(firstOfNextMonth(startDay), -1) : endDay)
}

function firstOfMonth(date: string): string {
  return `${date.slice(0, 8)}01`
}

function firstOfNextMonth(firstDay: string): string {
  return firstOfMonth(addDays(firstDay, 31))
}

function datesOf({ period, from, to }: PeriodChoice, rule: PeriodRule, today: string): readonly [string, string] {
  switch (period) {
    case 'shift':
    case 'hours24':
    case 'today':
      return [today, today]
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)]
    case 'week':
      return [addDays(today, -((weekdayOf(today) - rule.firstDayOfWeek + 7) % 7)), today]
    case 'lastWeek': {
      const [monday] = datesOf({ period: 'week', from, to }, rule, today)
      return [addDays(monday, -7), addDays(monday, -1)]
    }
    case 'month':
      return [firstOfMonth(today), today]
    case 'lastMonth': {
      const last = addDays(firstOfMonth(today), -1)
      return [firstOfMonth(last), last]
    }
    case 'days7':
      return [addDays(today, -6), today]
    case 'days30':
      return [addDays(today, -29), today]
    case 'custom': {
      const [first, last] = [from === '' ? to : from, to === '' ? from : to]
      if (first === '') return [today, today]
      return first <= last ? [first, last] : [last, first]
    }
  }
}

/** Whether the week at a moment (UTC ms) began on the shop date of that moment: figures of it are those of a day yet. */
export function weekBeganToday(rule: PeriodRule, nowMs: number): boolean {
  return weekdayOf(shopDate(nowMs, rule)) === rule.firstDayOfWeek
}

/** A shift compared with the same hours of the day before; while it is in progress, up to the same time. */
function shiftRange({ startMs, endMs }: WorkedShift, timeZone: string, nowMs: number): ComparedRange {
  const isOpen = nowMs < endMs
  const untilMs = Math.max(isOpen ? nowMs : endMs, startMs + minuteMs)
  const beforeMs = dayBefore(startMs, timeZone)
  return {
    range: instants(startMs, endMs),
    before: instants(beforeMs, Math.max(dayBefore(untilMs, timeZone), beforeMs + minuteMs)),
    days: (endMs - startMs) / dayMs,
    isOpen,
  }
}

/** The instant (UTC ms) at which clocks showed the same time on the date before. */
function dayBefore(instantMs: number, timeZone: string): number {
  const [date = '', time = ''] = wallTime(instantMs, timeZone).split('T')
  return instantOf(`${addDays(date, -1)}T${time}`, timeZone)
}

function lastHours(hours: number, nowMs: number): ComparedRange {
  const endMs = Math.ceil(nowMs / minuteMs) * minuteMs
  const lengthMs = hours * 60 * minuteMs
  return {
    range: instants(endMs - lengthMs, endMs),
    before: instants(endMs - 2 * lengthMs, endMs - lengthMs),
    days: lengthMs / dayMs,
    isOpen: true,
  }
}

/** The previous period of one in progress, up to the current day and time of day, and at most up to its end. */
function soFar(firstDay: string, nextFirstDay: string, rule: PeriodRule, nowMs: number): ReportRange {
  const [date = '', time = ''] = wallTime(nowMs, rule.timeZone).split('T')
  const startOf = (day: string) => instantOf(`${day}T${rule.startOfDay}`, rule.timeZone)
  const startMs = startOf(firstDay)
  const days = daysIn(firstDay, nextFirstDay) - 1
  const endMs = Math.min(instantOf(`${addDays(date, -days)}T${time}`, rule.timeZone), startOf(nextFirstDay))
  return instants(startMs, Math.max(endMs, startMs + 60_000))
}

function timesOf({ from, to }: PeriodChoice, rule: PeriodRule, nowMs: number): ComparedRange {
  const startWall = from.includes('T') ? from : `${from || to.slice(0, 10)}T${rule.startOfDay}`
  const endWall = to.includes('T') ? to : `${addDays(to || from.slice(0, 10), 1)}T${rule.startOfDay}`
  const times = [instantOf(startWall, rule.timeZone), instantOf(endWall, rule.timeZone)]
  const [startMs, endMs] = [Math.min(...times), Math.max(...times, Math.min(...times) + 60_000)]
  const lengthMs = Math.max(Math.min(endMs, nowMs) - startMs, 60_000)
  return {
    range: instants(startMs, endMs),
    before: instants(startMs - lengthMs, startMs),
    days: (endMs - startMs) / dayMs,
    isOpen: startMs <= nowMs && nowMs < endMs,
  }
}

/** The choice `custom` that covers a range (UTC ms): its shop dates; for less than a day its wall times. */
export function daysOrTimes(fromMs: number, toMs: number, rule: DayRule): Pick<PeriodChoice, 'from' | 'to'> {
  if (toMs - fromMs >= dayMs) return { from: shopDate(fromMs, rule), to: shopDate(toMs - 1, rule) }
  return {
    from: wallTime(fromMs, rule.timeZone),
    to: wallTime(Math.ceil(toMs / minuteMs) * minuteMs, rule.timeZone),
  }
}

function instants(startMs: number, endMs: number): ReportRange {
  return { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() }
}
