import { CellFault, shortened } from './cell-fault.ts'
import { type DateColumn, isSerialDate, readDate, readSerialDate } from './dates.ts'
import { checkRange, checkWhole, type NumberFormat, readNumber, readWhole } from './numbers.ts'
import type { SheetNumber } from './rows/file-row.ts'

/** The content of a cell, read as one kind of value. Each method throws a `CellFault` if the cell holds another kind. */
export interface CellContent {
  /** A name, which identifies something. */
  name(): string
  text(): string
  number(min: number): number
  /** A whole number of at least 0. */
  whole(): number
  /** Percent: 50 for 50 %. */
  percent(): number
  /** An instant; null if the date means "none". */
  date(): string | null
}

type ContentColumn = NumberFormat & DateColumn & { readonly hasSerialDates?: boolean }

/** Spreadsheets keep 15 digits of a number: the others of a longer identifier are lost. */
const maxIdentifier = 1e15
/** A number as a spreadsheet shortens it in a CSV file: the identifier is lost. */
const shortenedNumber = /^\d(?:\.\d+)?E\+\d{2,3}$/

/** A text, of a CSV file or of a workbook. */
export class TextContent implements CellContent {
  readonly #text: string
  readonly #column: ContentColumn

  constructor(text: string, column: ContentColumn) {
    this.#text = text
    this.#column = column
  }

  name(): string {
    if (!shortenedNumber.test(this.#text)) return this.#text
    throw new CellFault('InvalidDataItem', `'${shortened(this.#text)}' is a number that a spreadsheet has shortened`)
  }

  text(): string {
    return this.#text
  }

  number(min: number): number {
    return readNumber(this.#text, this.#column, min)
  }

  whole(): number {
    return readWhole(this.#text, this.#column)
  }

  percent(): number {
    const number = this.#text.endsWith('%') ? this.#text.slice(0, -1).trimEnd() : this.#text
    return readNumber(number, this.#column, 0)
  }

  date(): string | null {
    const isSerial = this.#column.hasSerialDates === true && isSerialDate(this.#text)
    return isSerial ? readSerialDate(Number(this.#text), this.#text, this.#column) : readDate(this.#text, this.#column)
  }
}

/** A number of a workbook. */
export class SheetNumberContent implements CellContent {
  readonly #cell: SheetNumber
  readonly #column: ContentColumn

  constructor(cell: SheetNumber, column: ContentColumn) {
    this.#cell = cell
    this.#column = column
  }

  get #shown(): string {
    return this.#cell.shown ?? String(this.#cell.number)
  }

  name(): string {
    if (Math.abs(this.#plainNumber()) < maxIdentifier) return this.#shown
    throw new CellFault('InvalidDataItem', 'is a number of more than 15 digits: format the cell as text')
  }

  text(): string {
    return this.#cell.isDate === true ? (this.date() ?? '') : this.#shown
  }

  number(min: number): number {
    return checkRange(this.#plainNumber(), min)
  }

  whole(): number {
    return checkWhole(this.number(0))
  }

  percent(): number {
    return this.#cell.isPercent === true ? this.number(0) * 100 : this.number(0)
  }

  date(): string | null {
    const { number, serial = number, isDate = false } = this.#cell
    if (isDate || isSerialDate(String(serial))) return readSerialDate(serial, this.#shown, this.#column)
    return readDate(this.#shown, this.#column)
  }

  #plainNumber(): number {
    if (this.#cell.isDate !== true) return this.#cell.number
    throw new CellFault('InvalidType', 'is a date or a time in the workbook: format the cell as text or as a number')
  }
}
