import {
  CellError,
  type NumberFormat,
  tidy,
  readUnit,
  toMs,
  shortened,
  checkRange,
  checkWhole,
  readNumber,
  readWhole,
} from './cell-values.ts'
import type { FieldKind } from './fields.ts'
import type { MappedColumn, TimeUnit } from './mappings.ts'
import type { FileCell, SheetNumber } from './rows/file-row.ts'
import { isSerialDate, readDate, readSerialDate } from './dates.ts'

/** A text or an instant, or a number in the unit of its field; null if the cell is empty. */
export type CellValue = string | number | null

/** A column of a file. */
export interface ImportColumn extends NumberFormat, Partial<Omit<MappedColumn, 'headings'>> {
  /** Whether a date may be a number: days since 1899-12-30, as spreadsheets count them. */
  readonly hasSerialDates?: boolean
}

const maxLengths: Readonly<Partial<Record<FieldKind, number>>> = { text: 200, longText: 4000 }
const maxValueLength = 100

/** Reads a cell of a column. `unit`: the cell with the unit, if the column has one. Throws a `CellError`. */
export function readCell(cell: FileCell, kind: FieldKind, column: ImportColumn, unit: FileCell = ''): CellValue {
  const content = parseContent(cell, kind, column)
  if (content === null) return null
  switch (kind) {
    case 'text':
      return content.name()
    case 'longText':
      return content.text()
    case 'date':
      return content.date()
    case 'number':
      return content.number(-1e15)
    case 'amount':
      return content.number(0)
    case 'whole':
      return content.whole()
    case 'percent':
      return toFraction(content.percent())
    case 'partTime':
      return readTime(content, 'ms', column, unit)
    case 'setupTime':
      return tidy(readTime(content, 's', column, unit) / 1000)
    default:
      return kind satisfies never
  }
}

/** null: the cell is empty. */
function parseContent(cell: FileCell, kind: FieldKind, column: ImportColumn): CellContent | null {
  if (typeof cell === 'number') return numberContent({ number: cell }, column)
  if (typeof cell === 'object') {
    if ('unreadable' in cell) throw new CellError('InvalidDataItem', `is ${cell.unreadable}`)
    return numberContent(cell, column)
  }
  const text = cell.trim()
  if (text === '') return null
  const maxLength = maxLengths[kind] ?? maxValueLength
  if (text.length > maxLength) throw new CellError('OutOfRange', `is longer than ${maxLength} characters`)
  return textContent(text, column)
}

/** A time in ms. In the unit in which records store it, a time is a whole number. */
function readTime(content: CellContent, ownUnit: TimeUnit, column: ImportColumn, unitCell: FileCell): number {
  const unit = column.unitFrom === undefined ? (column.unit ?? ownUnit) : readUnit(textOf(unitCell), column)
  return toMs(unit === ownUnit ? content.whole() : content.number(0), unit)
}

function toFraction(percent: number): number {
  if (percent > 100) throw new CellError('OutOfRange', 'is more than 100 percent')
  return tidy(percent / 100)
}

/** The text of a cell that is a heading or a unit; empty if it cannot be read. */
export function textOf(cell: FileCell): string {
  if (typeof cell !== 'object') return String(cell).trim()
  return 'unreadable' in cell ? '' : (cell.shown ?? String(cell.number))
}

/** The content of a cell, read as one kind of value. Each method throws a `CellError` if the cell holds another kind. */
interface CellContent {
  /** A name, which identifies something. */
  readonly name: () => string
  readonly text: () => string
  readonly number: (min: number) => number
  readonly whole: () => number
  readonly percent: () => number
  /** An instant; null if the date means "none". */
  readonly date: () => string | null
}

/** Spreadsheets keep 15 digits of a number: the others of a longer identifier are lost. */
const maxIdentifier = 1e15
/** A number as a spreadsheet shortens it in a CSV file: the identifier is lost. */
const shortenedNumber = /^\d(?:\.\d+)?E\+\d{2,3}$/

function textContent(text: string, column: ImportColumn): CellContent {
  return {
    name() {
      if (!shortenedNumber.test(text)) return text
      throw new CellError('InvalidDataItem', `'${shortened(text)}' is a number that a spreadsheet has shortened`)
    },
    text: () => text,
    number: min => readNumber(text, column, min),
    whole: () => readWhole(text, column),
    percent: () => readNumber(text.endsWith('%') ? text.slice(0, -1).trimEnd() : text, column, 0),
    date() {
      const isSerial = column.hasSerialDates === true && isSerialDate(text)
      return isSerial ? readSerialDate(Number(text), text, column) : readDate(text, column)
    },
  }
}

function numberContent(cell: SheetNumber, column: ImportColumn): CellContent {
  const { serial = cell.number, isDate = false, isPercent = false, shown = String(cell.number) } = cell
  const plainNumber = () => {
    if (!isDate) return cell.number
    throw new CellError('InvalidType', 'is a date or a time in the workbook: format the cell as text or as a number')
  }
  const number = (min: number) => checkRange(plainNumber(), min)
  const date = () => {
    if (isDate || isSerialDate(String(serial))) return readSerialDate(serial, shown, column)
    return readDate(shown, column)
  }
  return {
    name() {
      if (Math.abs(plainNumber()) < maxIdentifier) return shown
      throw new CellError('InvalidDataItem', 'is a number of more than 15 digits: format the cell as text')
    },
    text: () => (isDate ? (date() ?? '') : shown),
    number,
    whole: () => checkWhole(number(0)),
    percent: () => (isPercent ? number(0) * 100 : number(0)),
    date,
  }
}
