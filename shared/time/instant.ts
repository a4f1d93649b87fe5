import { dayMs } from './units.ts'

/**
 * Parses an ISO 8601 date-time to microseconds since 1970; samples, requests and records use the same grammar. A space
 * may replace the T. Without an offset the time is UTC. Of the fraction, the first six digits are used. A leap second
 * (`:60`) is in the last millisecond of its minute. Returns null if the text is invalid, or the day or time does not
 * exist (30 February, 25:00).
 */
export function parseInstantUs(text: string): number | null {
  return parseCommonForm(text) ?? parseAnyForm(text)
}

/** Parses a date-time, by the grammar of `parseInstantUs`, to milliseconds since 1970. */
export function parseInstantMs(text: string): number | null {
  const atUs = parseInstantUs(text)
  return atUs === null ? null : Math.floor(atUs / 1000)
}

/**
 * Returns whether a text is a date-time that records can contain: of the years 1970 to 9999, whose stored forms sort as
 * strings.
 */
export function isInstant(text: string): boolean {
  const atMs = parseInstantMs(text)
  return atMs !== null && atMs >= 0 && atMs < endOfYear9999
}

const endOfYear9999 = 253_402_300_800_000

/**
 * Converts a date-time to its form in records and responses: `YYYY-MM-DDTHH:mm:ss.SSSZ`. Throws a RangeError for an
 * invalid date-time.
 */
export function toInstant(text: string): string {
  return instantText(parseInstantMs(text) ?? Number.NaN)
}

/** Converts an optional date-time to its form in records. */
export function toInstantOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toInstant(text)
}

/** Formats UTC milliseconds as `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Parses `YYYY-MM-DDTHH:mm:ss[.f…]Z`, the form of nearly all samples, without a regular expression; null for other
 * forms and invalid text.
 */
function parseCommonForm(text: string): number | null {
  const end = text.length - 1
  if (end < 19 || text.charCodeAt(end) !== code.Z || text.charCodeAt(10) !== code.T) return null
  if (text.charCodeAt(4) !== code.dash || text.charCodeAt(7) !== code.dash) return null
  if (text.charCodeAt(13) !== code.colon || text.charCodeAt(16) !== code.colon) return null
  const fractionUs = end === 19 ? 0 : text.charCodeAt(19) === code.dot ? readFractionUs(text, 20, end) : -1
  if (fractionUs < 0) return null
  const dateMs = dateToMs(readDigits(text, 0, 4), readDigits(text, 5, 7), readDigits(text, 8, 10))
  const timeUs = timeToUs(readDigits(text, 11, 13), readDigits(text, 14, 16), readDigits(text, 17, 19), fractionUs)
  return dateMs === null || timeUs === null ? null : dateMs * 1000 + timeUs
}

const code = { Z: 90, T: 84, dash: 45, colon: 58, dot: 46, zero: 48 } as const

/** Returns the number with the digits in [from, to); -1 if there are other characters. */
function readDigits(text: string, from: number, to: number): number {
  let number = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - code.zero
    if (!(digit >= 0 && digit <= 9)) return -1
    number = number * 10 + digit
  }
  return number
}

/** Returns the microseconds of a fraction of any length; -1 if it is empty or has other characters than digits. */
function readFractionUs(text: string, from: number, to: number): number {
  if (from === to) return -1
  for (let i = from + 6; i < to; i++) if (readDigits(text, i, i + 1) < 0) return -1
  const digits = Math.min(6, to - from)
  const number = readDigits(text, from, from + digits)
  return number < 0 ? -1 : number * (powersOfTen[6 - digits] ?? 1)
}

const powersOfTen = [1, 10, 100, 1_000, 10_000, 100_000]

const anyForm =
  /^(?<year>\d{4})(?<dash>-?)(?<month>\d{2})(?<secondDash>-?)(?<day>\d{2})[T ](?<hour>\d{2})(?::?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?)?(?:Z|(?<sign>[+-])(?<offsetHour>\d{2})(?::?(?<offsetMinute>\d{2}))?)?$/i

/**
 * Parses all other forms: other offsets or none, basic format, without seconds or minutes, a decimal comma, 24:00 as
 * the end of a day.
 */
function parseAnyForm(text: string): number | null {
  const parts = anyForm.exec(text)?.groups
  if (parts === undefined || parts['dash'] !== parts['secondDash']) return null
  const number = (name: string) => Number(parts[name] ?? 0)
  const fraction = parts['fraction'] ?? '0'
  const fractionUs = readFractionUs(fraction, 0, fraction.length)
  const timeUs = timeToUs(number('hour'), number('minute'), number('second'), fractionUs)
  const endOfDay = number('hour') === 24 && number('minute') + number('second') + fractionUs === 0
  const dateMs = dateToMs(number('year'), number('month'), number('day'))
  const offsetUs = timeToUs(number('offsetHour'), number('offsetMinute'), 0, 0)
  if (dateMs === null || offsetUs === null || (timeUs === null && !endOfDay)) return null
  return dateMs * 1000 + (timeUs ?? dayMs * 1000) - (parts['sign'] === '-' ? -offsetUs : offsetUs)
}

/** Returns the milliseconds from 1970 to the start of a day (proleptic Gregorian); null if the day does not exist. */
function dateToMs(year: number, month: number, day: number): number | null {
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  // https://howardhinnant.github.io/date_algorithms.html#days_from_civil: years begin in March, so that leap days are
  // last.
  const marchYear = month > 2 ? year : year - 1
  const marchMonth = month > 2 ? month - 3 : month + 9
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  const daysBeforeMonth = Math.floor((153 * marchMonth + 2) / 5)
  return (marchYear * 365 + leapDays + daysBeforeMonth + day - 1 - daysBefore1970) * dayMs
}

/** Days from 1 March of the year 0 to 1970. */
const daysBefore1970 = 719_468

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Returns the microseconds of a time of day; null if the time does not exist. A missing part is -1. */
function timeToUs(hour: number, minute: number, second: number, fractionUs: number): number | null {
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return null
  const minuteUs = (hour * 60 + minute) * 60_000_000
  // The fraction, reduced to the last millisecond, keeps samples within the leap second in order.
  if (second === 60) return minuteUs + 59_999_000 + Math.floor(fractionUs / 1000)
  return minuteUs + second * 1_000_000 + fractionUs
}
