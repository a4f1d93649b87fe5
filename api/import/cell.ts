import { isLocalDate } from '../../shared/time/local-date.ts'
import { isInstant, toInstant } from '../../shared/time/instant.ts'
import type { FaultCode } from '../../schema/errors.ts'
import type { FieldKind } from './fields.ts'
import type { MappedColumn, DateFormat, TimeUnit } from './mappings.ts'

/**
 * Value of a cell as records keep it: a text or an instant, or a number in the unit of its field; null where it is
 * empty.
 */
export type CellValue = string | number | null

/** A column of a file. */
export interface ImportColumn extends Pick<MappedColumn, 'unit' | 'dateFormat'> {
  /** Whether a date may be a number: days since 1899-12-30, as spreadsheets count them. */
  readonly hasSerialDates?: boolean
}

/** Fault of a cell that does not fit its column. */
export class CellFault extends Error {
  override readonly name = 'CellFault'
  readonly code: FaultCode

  constructor(code: FaultCode, message: string) {
    super(message)
    this.code = code
  }
}

const longest: Readonly<Partial<Record<FieldKind, number>>> = { text: 200, longText: 4000 }
/** Longest cell that is read as something other than a text, in characters. */
const longestValue = 100
/** Form of a number. A text matches in one way at most, so the time depends on its length alone. */
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/

/** Reads a cell of a column. Throws a `CellFault`, whose message is short however long the cell is. */
export function readCell(
  cell: string,
  kind: FieldKind,
  { unit, dateFormat, hasSerialDates = false }: ImportColumn,
): CellValue {
  const text = bounded(cell.trim(), longest[kind] ?? longestValue)
  if (text === '') return null
  switch (kind) {
    case 'text':
    case 'longText':
      return text
    case 'date':
      return (hasSerialDates ? readSerialDate(text) : null) ?? readDate(text, dateFormat ?? 'iso')
    case 'number':
      return readNumber(text, -1e15)
    case 'amount':
      return readNumber(text, 0)
    case 'percent':
      return readPercent(text)
    case 'partTime':
      return toMs(readNumber(text, 0), unit ?? 'ms')
    case 'setupTime':
      return toMs(readNumber(text, 0), unit ?? 's') / 1000
    default:
      return kind satisfies never
  }
}

function bounded(text: string, length: number): string {
  if (text.length > length) throw new CellFault('OutOfRange', `is longer than ${length} characters`)
  return text
}

function readNumber(text: string, least: number): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw new CellFault('InvalidType', `'${shortened(text)}' is no number`)
  if (value < least || value > 1e15) throw new CellFault('OutOfRange', `'${shortened(text)}' is out of range`)
  return value
}

/** Reads percent as a fraction. */
function readPercent(text: string): number {
  const percent = readNumber(text.endsWith('%') ? text.slice(0, -1).trimEnd() : text, 0)
  if (percent > 100) throw new CellFault('OutOfRange', 'is more than 100 percent')
  return tidy(percent / 100)
}

const msOf: Readonly<Record<TimeUnit, (value: number) => number>> = {
  ms: value => value,
  s: value => value * 1000,
  min: value => value * 60_000,
  h: value => value * 3_600_000,
  partsPerHour: value => (value === 0 ? 0 : 3_600_000 / value),
  partsPerMinute: value => (value === 0 ? 0 : 60_000 / value),
}

/** 0.0175 h is 63,000 ms, not 63,000.00000000001. */
function toMs(value: number, unit: TimeUnit): number {
  return tidy(msOf[unit](value))
}

function tidy(value: number): number {
  return Number(value.toPrecision(12))
}

const datePatterns: Readonly<Record<Exclude<DateFormat, 'iso'>, RegExp>> = {
  'MM/DD/YYYY': /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/,
  'DD/MM/YYYY': /^(?<day>\d{1,2})\/(?<month>\d{1,2})\/(?<year>\d{4})$/,
  'DD.MM.YYYY': /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/,
  YYYYMMDD: /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
}

const serialDate = /^\d{1,7}(?:\.\d{1,20})?$/
const dayMs = 86_400_000
const serialEpochMs = Date.UTC(1899, 11, 30)
/**
 * Bounds of serial dates: 1900-03-01, before which spreadsheets count a day that never was; and the year 10000, which
 * is out.
 */
const [firstSerial, lastSerial] = [61, 2_958_466]

/** Reads a serial date as an instant; null: the text is not one. */
function readSerialDate(text: string): string | null {
  if (!serialDate.test(text)) return null
  const serial = Number(text)
  if (serial < firstSerial || serial >= lastSerial) return null
  const seconds = Math.round((serial * dayMs) / 1000)
  const instant = new Date(serialEpochMs + seconds * 1000).toISOString()
  return isInstant(instant) ? instant : null
}

/** Reads a date. ISO dates are taken in every format, as dates of an XLSX file are read as ISO texts. */
function readDate(text: string, format: DateFormat): string {
  const { year, month = '', day = '' } = (format === 'iso' ? null : datePatterns[format].exec(text)?.groups) ?? {}
  const date = year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const instant = isLocalDate(date) ? `${date}T00:00:00Z` : date
  if (isInstant(instant)) return toInstant(instant)
  const expected = format === 'iso' ? 'a date YYYY-MM-DD or an ISO 8601 date-time' : `a date ${format}`
  throw new CellFault('InvalidDate', `'${shortened(text)}' is not ${expected}`)
}

/** A text as it stands in messages: its beginning, where it is long. */
export function shortened(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50)}…` : text
}
