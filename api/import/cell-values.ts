import type { FieldErrorCode } from '../../schema/errors.ts'
import type { Mapping, MappedColumn, TimeUnit } from './mappings.ts'

/** The error of a cell that does not fit its column; the message is short however long the cell is. */
export class CellError extends Error {
  override readonly name = 'CellError'
  readonly code: FieldErrorCode

  constructor(code: FieldErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A text for messages: its beginning, if it is long. */
export function shortened(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50)}…` : text
}

/** How numbers are written in a file: a decimal point and no thousands separator by default. */
export type NumberFormat = Pick<Mapping, 'decimal' | 'thousands'>

const maxNumber = 1e15
const point = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/
const comma = /^[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d{1,3})?$/
/** A number whose only separator may be that of thousands or of decimals. */
const ambiguous = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/

/** Reads a number as it is written in the file. Throws a `CellError`. */
export function readNumber(text: string, format: NumberFormat, min: number): number {
  const decimal = format.decimal ?? (format.thousands === '.' ? ',' : '.')
  const ungrouped = withoutThousands(text, format)
  const value = (decimal === '.' ? point : comma).test(ungrouped) ? Number(ungrouped.replace(',', '.')) : Number.NaN
  if (Number.isNaN(value)) throw new CellError('InvalidType', `'${shortened(text)}' is not a number`)
  return checkRange(value, min)
}

/** Reads a whole number of at least 0. Rejects a number that may have a thousands separator instead of decimals. */
export function readWhole(text: string, format: NumberFormat): number {
  const value = checkWhole(readNumber(text, format, 0))
  const isExplicit = format.decimal !== undefined || format.thousands !== undefined
  if (isExplicit || !ambiguous.test(text)) return value
  throw new CellError(
    'InvalidDataItem',
    `'${text}' may be ${value} or ${text.replace(/[.,]/, '')}: set decimal or thousands in the mapping`,
  )
}

/** The number, if it is within the range of all numbers of a file. Throws a `CellError`. */
export function checkRange(value: number, min: number): number {
  if (value < min || value > maxNumber) throw new CellError('OutOfRange', `'${value}' is out of range`)
  return value
}

/** The number, if it has no fraction. Throws a `CellError`. */
export function checkWhole(value: number): number {
  if (!Number.isInteger(value)) throw new CellError('InvalidType', `'${value}' is not a whole number`)
  return value
}

/** Removes the rounding of a computation: 0.0175 h is 63,000 ms, not 63,000.00000000001. */
export function tidy(value: number): number {
  return Number(value.toPrecision(12))
}

/** Digits in groups of three with a separator between them, and the text behind them. */
const grouped: Readonly<Record<NonNullable<NumberFormat['thousands']>, RegExp>> = {
  ',': /^([+-]?\d{1,3}(?:,\d{3})+)([^\d,].*)?$/,
  '.': /^([+-]?\d{1,3}(?:\.\d{3})+)([^\d.].*)?$/,
  ' ': /^([+-]?\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+)([^\d \u00a0\u2009\u202f].*)?$/,
  "'": /^([+-]?\d{1,3}(?:['\u2019]\d{3})+)([^\d'\u2019].*)?$/,
}

/** The text without thousands separators, if they form complete groups; otherwise unchanged. */
function withoutThousands(text: string, { thousands }: NumberFormat): string {
  const [, groups, others = ''] = (thousands === undefined ? null : grouped[thousands].exec(text)) ?? []
  return groups === undefined ? text : groups.replace(/[^\d+-]/g, '') + others
}

const toMsOf: Readonly<Record<TimeUnit, (value: number) => number>> = {
  ms: value => value,
  s: value => value * 1000,
  min: value => value * 60_000,
  h: value => value * 3_600_000,
  partsPerHour: value => (value === 0 ? 0 : 3_600_000 / value),
  partsPerMinute: value => (value === 0 ? 0 : 60_000 / value),
}

/** A time in milliseconds. */
export function toMs(value: number, unit: TimeUnit): number {
  return tidy(toMsOf[unit](value))
}

/** The unit that a word of the file means; without a table, the words are the names of the units. Throws a `CellError`. */
export function readUnit(word: string, { unitFrom = '', units }: Pick<MappedColumn, 'unitFrom' | 'units'>): TimeUnit {
  const table: Readonly<Record<string, TimeUnit>> = units ?? ownNames
  const unit = Object.hasOwn(table, word) ? table[word] : undefined
  if (unit !== undefined) return unit
  const found = word === '' ? 'is empty' : `has '${shortened(word)}'`
  throw new CellError(
    'InvalidEnum',
    `has no unit: ${unitFrom} ${found}, must be one of ${Object.keys(table).join(', ')}`,
  )
}

const ownNames: Readonly<Record<TimeUnit, TimeUnit>> = {
  ms: 'ms',
  s: 's',
  min: 'min',
  h: 'h',
  partsPerHour: 'partsPerHour',
  partsPerMinute: 'partsPerMinute',
}
