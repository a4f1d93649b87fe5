import { CellFault } from './cell-fault.ts'
import { type CellContent, SheetNumberContent, TextContent } from './cell-content.ts'
import type { FieldKind } from './fields.ts'
import type { MappedColumn, TimeUnit } from './mappings.ts'
import { type NumberFormat, tidy } from './numbers.ts'
import type { FileCell } from './rows/file-row.ts'
import { readUnit, toMs } from './times.ts'

export { CellFault } from './cell-fault.ts'

/**
 * Value of a cell as records store it: a text or an instant, or a number in the unit of its field; null if the cell is
 * empty.
 */
export type CellValue = string | number | null

/** A column of a file. */
export interface ImportColumn extends NumberFormat, Partial<Omit<MappedColumn, 'headings'>> {
  /** Whether a date may be a number: days since 1899-12-30, as spreadsheets count them. */
  readonly hasSerialDates?: boolean
}

const maxLengths: Readonly<Partial<Record<FieldKind, number>>> = { text: 200, longText: 4000 }
/** Longest cell that is read as something other than a text, in characters. */
const maxValueLength = 100

/** Reads a cell of a column. `unit`: the cell with the unit, if the column has one. Throws a `CellFault`. */
export function readCell(cell: FileCell, kind: FieldKind, column: ImportColumn, unit: FileCell = ''): CellValue {
  const content = contentOf(cell, kind, column)
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
function contentOf(cell: FileCell, kind: FieldKind, column: ImportColumn): CellContent | null {
  if (typeof cell === 'number') return new SheetNumberContent({ number: cell }, column)
  if (typeof cell === 'object') {
    if ('unreadable' in cell) throw new CellFault('InvalidDataItem', `is ${cell.unreadable}`)
    return new SheetNumberContent(cell, column)
  }
  const text = cell.trim()
  if (text === '') return null
  const maxLength = maxLengths[kind] ?? maxValueLength
  if (text.length > maxLength) throw new CellFault('OutOfRange', `is longer than ${maxLength} characters`)
  return new TextContent(text, column)
}

/** A time in ms. In the unit in which records store it, a time is a whole number. */
function readTime(content: CellContent, ownUnit: TimeUnit, column: ImportColumn, unitCell: FileCell): number {
  const unit = column.unitFrom === undefined ? (column.unit ?? ownUnit) : readUnit(textOf(unitCell), column)
  return toMs(unit === ownUnit ? content.whole() : content.number(0), unit)
}

/** Percent as a fraction. */
function toFraction(percent: number): number {
  if (percent > 100) throw new CellFault('OutOfRange', 'is more than 100 percent')
  return tidy(percent / 100)
}

/** The text of a cell that is a heading or a unit; empty if it cannot be read. */
export function textOf(cell: FileCell): string {
  if (typeof cell !== 'object') return String(cell).trim()
  return 'unreadable' in cell ? '' : (cell.shown ?? String(cell.number))
}
