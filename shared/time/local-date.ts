import { dayMs, minuteMs } from './units.ts'

/** A local date as the number of days since 1970-01-01, regardless of the time zone. */
export type DayNumber = number

const datePattern = /^\d{4}-\d{2}-\d{2}$/
const timePattern = /^([01]\d|2[0-3]):[0-5]\d$/

/** Returns whether a text is an existing date in the form `YYYY-MM-DD`. */
export function isLocalDate(text: string): boolean {
  return datePattern.test(text) && dateText(Date.parse(`${text}T00:00:00Z`) / dayMs) === text
}

/** Returns whether a text is a local time from `00:00` to `23:59`. */
export function isLocalTime(text: string): boolean {
  return timePattern.test(text)
}

/** Parses a date `YYYY-MM-DD` to its day number; throws a RangeError for an invalid date. */
export function dayNumber(date: string): DayNumber {
  if (!isLocalDate(date)) throw new RangeError(`Invalid date '${date}': use YYYY-MM-DD`)
  return Date.parse(`${date}T00:00:00Z`) / dayMs
}

/** Formats a day number as `YYYY-MM-DD`; '' for years that do not have four digits. */
export function dateText(day: DayNumber): string {
  const date = new Date(day * dayMs)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10)
}

/** Parses a local time `HH:mm` to ms since midnight; throws a RangeError for an invalid time. */
export function timeOfDayMs(time: string): number {
  if (!isLocalTime(time)) throw new RangeError(`Invalid time '${time}': use HH:mm`)
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs
}

/** Returns the ISO weekday: 1 = Monday … 7 = Sunday. */
export function weekday(day: DayNumber): number {
  return modulo(day + 3, 7) + 1
}

/** Returns the first day of the week that contains `day`; weeks begin on the ISO weekday `firstDayOfWeek`. */
export function startOfWeek(day: DayNumber, firstDayOfWeek: number): DayNumber {
  return day - modulo(weekday(day) - firstDayOfWeek, 7)
}

/**
 * Returns the first day of the period of `length` months (1: month, 3: quarter) that contains `day`, and the first day
 * of the next period.
 */
export function monthsAround(day: DayNumber, length: 1 | 3): { readonly first: DayNumber; readonly next: DayNumber } {
  const date = new Date(day * dayMs)
  const month = Math.floor(date.getUTCMonth() / length) * length
  const year = date.getUTCFullYear()
  return { first: Date.UTC(year, month) / dayMs, next: Date.UTC(year, month + length) / dayMs }
}

/** Returns the remainder, which is never negative. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
