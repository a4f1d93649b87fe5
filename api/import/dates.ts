import { instantText, isInstant, toInstant } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import { CellError, shortened } from './cell-values.ts'
import type { DateFormat, MappedColumn } from './mappings.ts'

/** How a column has its dates. `noDate`: dates (YYYY-MM-DD) or texts that mean "none". */
export type DateColumn = Pick<MappedColumn, 'dateFormat' | 'noDate'>

const dates: Readonly<Record<DateFormat, RegExp>> = {
  iso: /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})/,
  'MM/DD/YYYY': /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})/,
  'DD/MM/YYYY': /^(?<day>\d{1,2})\/(?<month>\d{1,2})\/(?<year>\d{4})/,
  'DD.MM.YYYY': /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})/,
  YYYYMMDD: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})/,
}
/** `14:30`, `14:30:00.000`, `2:30:00 PM`, behind a T or spaces; an offset may follow. */
const clock =
  /^[T ] {0,9}(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?(?: ?(?<half>[AP])M)?(?<offset>Z|[+-]\d{2}:?\d{2})?$/i
/** `143000`, behind a date YYYYMMDD. */
const compactClock = /^[T ]?(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?$/i

type Parts = Readonly<Record<string, string | undefined>>

/** Reads a date (its first instant in UTC) or date-time; null: it means "none". Throws a `CellError`. */
export function readDate(text: string, { dateFormat = 'iso', noDate = [] }: DateColumn): string | null {
  if (noDate.includes(text)) return null
  const parts = parseParts(text, dateFormat) ?? parseParts(text, 'iso')
  const date = parts ? dateOf(parts) : text.slice(0, 10)
  if (noDate.includes(date)) return null
  const instant = parts ? `${date}T${parseTime(parts) ?? 'none'}` : text
  if (isInstant(instant)) return toInstant(instant)
  const expected = dateFormat === 'iso' ? 'a date YYYY-MM-DD or an ISO 8601 date-time' : `a date ${dateFormat}`
  throw new CellError('InvalidDate', `'${shortened(text)}' is not ${expected}`)
}

/** Parts of a date and of the time behind it; null if the text has another form. */
function parseParts(text: string, format: DateFormat): Parts | null {
  const date = dates[format].exec(text)
  if (!date) return null
  const time = text.slice(date[0].length)
  if (time === '') return { ...date.groups }
  const found = clock.exec(time) ?? (format === 'YYYYMMDD' ? compactClock.exec(time) : null)
  return found && { ...date.groups, ...found.groups }
}

function dateOf({ year = '', month = '', day = '' }: Parts): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** Time and offset of an ISO 8601 date-time; null if the clock has no such time. */
function parseTime({
  hour = '0',
  minute = '00',
  second = '00',
  fraction = '0',
  half,
  offset: zone,
}: Parts): string | null {
  const hours = Number(hour)
  if (half !== undefined && (hours < 1 || hours > 12)) return null
  const hour24 = half === undefined ? hours : (hours % 12) + (half.toUpperCase() === 'P' ? 12 : 0)
  return `${String(hour24).padStart(2, '0')}:${minute}:${second}.${fraction}${zone ?? 'Z'}`
}

/** Bounds: 1900-03-01, before which spreadsheets count a day that never existed; and the year 10000, excluded. */
const [firstSerial, lastSerial] = [61, 2_958_466]
const serialText = /^\d{1,7}(?:\.\d{1,20})?$/
const serialEpochMs = Date.UTC(1899, 11, 30)

/** Whether a text may be a serial date. */
export function isSerialDate(text: string): boolean {
  return serialText.test(text) && Number(text) >= firstSerial && Number(text) < lastSerial
}

/** Reads days since 1899-12-30, rounded to a second; null: the date means "none". Throws a `CellError`. */
export function readSerialDate(serial: number, shown: string, { noDate = [] }: DateColumn): string | null {
  const seconds = Math.round(((serial < firstSerial - 1 ? serial + 1 : serial) * dayMs) / 1000)
  const atMs = serialEpochMs + seconds * 1000
  const isInRange = serial >= 0 && serial < lastSerial
  const instant = isInRange ? instantText(atMs) : ''
  if (noDate.includes(shown) || noDate.includes(instant.slice(0, 10))) return null
  if (serial >= firstSerial && isInstant(instant)) return instant
  throw new CellError('InvalidDate', `'${shortened(shown)}' is not a date`)
}
