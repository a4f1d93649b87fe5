import { type CellObject, SSF } from 'xlsx'
import type { FileCell, UnreadableCell } from '../rows/file-row.ts'

/** Days between 1899-12-30 and 1904-01-01, the first days of the two date systems. */
const daysTo1904 = 1462
/** Significant digits that spreadsheets compute with: 0.1 + 0.2 is 0.3. */
const significantDigits = 15
const numberText = /^\d{1,7}(?:\.\d{1,20})?$/

/** Properties of a workbook that change the meaning of its cells. */
export interface WorkbookTraits {
  readonly is1904: boolean
  /** The program that wrote the workbook has not calculated its formulas: it stored 0 as the result of each. */
  readonly isUncalculated: boolean
}

/** The cell of a workbook as a file row has it. */
export function toFileCell(cell: CellObject | undefined, { is1904, isUncalculated }: WorkbookTraits): FileCell {
  switch (cell?.t) {
    case 's':
      return toTextCell(String(cell.v ?? '').trim(), is1904)
    case 'n':
      if (isUncalculated && cell.f !== undefined && cell.v === 0) return withoutResult
      return toNumberCell(Number(cell.v), typeof cell.z === 'string' ? cell.z : 'General', is1904)
    case 'b':
      return cell.v === true ? 'TRUE' : 'FALSE'
    case 'e':
      return { unreadable: 'an error value of the workbook, such as #N/A' }
    case 'z':
    case 'd':
    case undefined:
      return isEmptyCell(cell) ? '' : withoutResult
  }
}

const withoutResult: UnreadableCell = {
  unreadable: 'a formula without a stored result: open and save the workbook in a spreadsheet',
}

/** Whether a cell has no value and no formula; such a cell may have a format. */
export function isEmptyCell(cell: CellObject | undefined): boolean {
  return cell === undefined || (cell.t === 'z' && cell.f === undefined && cell.F === undefined)
}

/** A text that is a serial date keeps its text, and counts from the first day of the workbook. */
function toTextCell(text: string, is1904: boolean): FileCell {
  if (!is1904 || !numberText.test(text)) return text
  return { number: Number(text), shown: text, serial: Number(text) + daysTo1904 }
}

function toNumberCell(value: number, format: string, is1904: boolean): FileCell {
  if (!Number.isFinite(value)) return { unreadable: 'not a number' }
  const number = Number(value.toPrecision(significantDigits))
  const { isDate, isPercent, isIdentifier } = meaningOf(format)
  const shown = isIdentifier ? shownText(number, format) : null
  if (shown === null && !isDate && !isPercent && !is1904) return number
  return {
    number,
    ...(shown !== null && { shown }),
    ...(is1904 && { serial: number + daysTo1904 }),
    ...(isDate && { isDate }),
    ...(isPercent && { isPercent }),
  }
}

/** The text of a whole number in a format; null if it is the plain number. */
function shownText(number: number, format: string): string | null {
  if (!Number.isInteger(number) || Math.abs(number) >= 10 ** significantDigits) return null
  try {
    const shown = SSF.format(format, number).trim()
    return shown === '' || shown === String(number) ? null : shown
  } catch {
    return null
  }
}

/** Meaning of a number format for its numbers. */
interface FormatMeaning {
  readonly isDate: boolean
  readonly isPercent: boolean
  /** It writes identifiers such as 000123: no grouped thousands, decimals, percent, fractions or exponent, as amounts have. */
  readonly isIdentifier: boolean
}

const meanings = new Map<string, FormatMeaning>()

function meaningOf(format: string): FormatMeaning {
  let meaning = meanings.get(format)
  if (meaning === undefined) {
    const placeholders = placeholdersOf(format)
    const isDate = SSF.is_date(format)
    const isIdentifier = !isDate && /[0#]/.test(placeholders) && !/[.,%/?*]|E[+-]/i.test(placeholders)
    meaning = { isDate, isPercent: !isDate && placeholders.includes('%'), isIdentifier }
    meanings.set(format, meaning)
  }
  return meaning
}

const closings: Readonly<Record<string, string>> = { '"': '"', '[': ']' }

/** A number format without quoted texts, escaped characters, colours and conditions. */
function placeholdersOf(format: string): string {
  let placeholders = ''
  for (let at = 0; at < format.length; at++) {
    const char = format.charAt(at)
    const closing = closings[char]
    if (closing !== undefined) {
      const end = format.indexOf(closing, at + 1)
      at = end < 0 ? format.length : end
    } else if (char === '\\' || char === '_') at++
    else placeholders += char
  }
  return placeholders
}
