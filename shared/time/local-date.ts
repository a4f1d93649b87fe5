import { dayMs, minuteMs } from './units.ts'

/** Days since 1970-01-01 of a local date, whatever the zone: dates are counted, never added up from hours. */
export type DayNumber = number

const datePattern = /^\d{4}-\d{2}-\d{2}$/
const timePattern = /^([01]\d|2[0-3]):[0-5]\d$/

/** Whether a text is a date that exists, written `YYYY-MM-DD`. */
export function isLocalDate(text: string): boolean {
  return datePattern.test(text) && dateText(Date.parse(`${text}T00:00:00Z`) / dayMs) === text
}

/** Whether a text is a wall time from `00:00` to `23:59`. */
export function isLocalTime(text: string): boolean {
  return timePattern.test(text)
}

/** Day number of a date `YYYY-MM-DD`; throws a RangeError for an invalid date. */
export function dayNumber(date: string): DayNumber {
  if (!isLocalDate(date)) throw new RangeError(`Invalid date '${date}': use YYYY-MM-DD`)
  return Date.parse(`${date}T00:00:00Z`) / dayMs
}

/** `YYYY-MM-DD` of a day number; '' outside the years that have four digits. */
export function dateText(day: DayNumber): string {
  const date = new Date(day * dayMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}

/** Wall time `HH:mm` as ms since midnight; throws a RangeError for an invalid time. */
export function timeOfDayMs(time: string): number {
  if (!isLocalTime(time)) throw new RangeError(`Invalid time '${time}': use HH:mm`)
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs
}

/** ISO weekday: 1 = Monday … 7 = Sunday. */
export function weekday(day: DayNumber): number {
  return modulo(day + 3, 7) + 1
}

/** First day of the week that holds `day`, where weeks begin on the ISO weekday `firstDayOfWeek`. */
export function startOfWeek(day: DayNumber, firstDayOfWeek: number): DayNumber {
  return day - modulo(weekday(day) - firstDayOfWeek, 7)
}

/** First day of the run of `length` months (1: month, 3: quarter) that holds `day`, and of the next one. */
export function monthsAround(day: DayNumber, length: 1 | 3): { readonly first: DayNumber; readonly next: DayNumber } {
  const date = new Date(day * dayMs)
  const month = Math.floor(date.getUTCMonth() / length) * length
  const year = date.getUTCFullYear()
  return { first: Date.UTC(year, month) / dayMs, next: Date.UTC(year, month + length) / dayMs }
}

/** Remainder that is never negative. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
