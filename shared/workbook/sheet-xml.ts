/** How a spreadsheet displays the cells of a column; the cells of all but `text` are numbers. */
export const cellFormats = ['text', 'number', 'integer', 'decimals', 'percent', 'date', 'dateTime'] as const
export type CellFormat = (typeof cellFormats)[number]

/**
 * A value of a cell: a text is displayed unchanged, and is never a formula; a date or time is its number of days
 * (`serialDays`); null and an empty text are empty cells.
 */
export type CellValue = string | number | null

/** Limit of rows of a sheet, of Excel and LibreOffice. */
export const maxSheetRows = 1_048_576

/** Index of the headings' style in the workbook: after the default, before the formats in their order. */
const headingStyle = 1

function styleOf(format: CellFormat): number {
  return headingStyle + 1 + cellFormats.indexOf(format)
}

const textStyle = styleOf('text')

/** Widths of columns, in characters. */
const widths: Readonly<Record<CellFormat, number>> = {
  text: 24,
  number: 14,
  integer: 14,
  decimals: 14,
  percent: 14,
  date: 12,
  dateTime: 20,
}

/** XML of a sheet before its rows. The first row stays visible while the others are scrolled. */
export function sheetStart(columns: readonly CellFormat[]): string {
  const cols = columns.map(
    (format, i) => `<col min="${i + 1}" max="${i + 1}" width="${widths[format]}" customWidth="1"/>`,
  )
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
}

/** XML of a sheet after its rows. */
export const sheetEnd = '</sheetData></worksheet>'

/** XML of the first row. */
export function headingRow(titles: readonly string[]): string {
  return `<row r="1">${titles.map((title, i) => textCell(title, `${columnName(i)}1`, headingStyle)).join('')}</row>`
}

/** Returns a function that writes the rows of these columns; rows are numbered from 2. */
export function rowWriter(columns: readonly CellFormat[]): (row: number, cells: readonly CellValue[]) => string {
  const places = columns.map((format, i) => ({ name: columnName(i), style: styleOf(format) }))
  return (row, cells) => {
    let xml = `<row r="${row}">`
    let i = 0
    for (const { name, style } of places) {
      const value = cells[i++] ?? ''
      if (value === '') continue
      if (typeof value === 'string') xml += textCell(value, `${name}${row}`, textStyle)
      else if (Number.isFinite(value)) xml += `<c r="${name}${row}" s="${style}"><v>${value}</v></c>`
    }
    return `${xml}</row>`
  }
}

const dayMs = 86_400_000
/** Days from 1899-12-30, the day 0 of spreadsheets, to 1970. */
const daysTo1970 = 25_569
/** Spreadsheets count a 29 February 1900 that did not exist: earlier dates are displayed differently. */
const firstSerialMs = Date.UTC(1900, 2, 1)

/** A local date and time as a spreadsheet counts it; null before 1900-03-01. `localMs`: as if the local time were UTC. */
export function serialDays(localMs: number): number | null {
  return localMs < firstSerialMs ? null : localMs / dayMs + daysTo1970
}

/** Name of a column, such as `AB`, by its index. */
function columnName(index: number): string {
  const rest = Math.floor(index / 26)
  const letter = String.fromCharCode(65 + (index % 26))
  return rest === 0 ? letter : columnName(rest - 1) + letter
}

/** Limit of the length of a text in Excel, which does not open a file with a longer one. */
const maxTextLength = 32_767

/** White space that readers would change. */
const spaces = /^\s|\s$|[\t\r\n]|\s\s/

function textCell(text: string, at: string, style: number): string {
  const content = xmlText(text.length > maxTextLength ? text.slice(0, maxTextLength) : text)
  const space = spaces.test(text) ? ' xml:space="preserve"' : ''
  return `<c r="${at}" s="${style}" t="inlineStr"><is><t${space}>${content}</t></is></c>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }
// Characters that XML does not allow: control characters, unpaired surrogates, two noncharacters.
// oxlint-disable-next-line no-control-regex -- they are searched
const forbidden = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|\p{Surrogate}/gu

// oxlint-disable-next-line no-control-regex -- they are searched
const special = /[&<>_\0-\x1F\uD800-\uDFFF\uFFFE\uFFFF]/

function xmlText(text: string): string {
  if (!special.test(text)) return text
  return (
    text
      .replace(forbidden, '\uFFFD')
      .replace(/[&<>\r]/g, char => entities[char] ?? char)
      // Readers replace `_x0041_` by the character; `_x005F_` is the underscore.
      .replace(/_(?=x[\dA-Fa-f]{4}_)/g, '_x005F_')
  )
}
