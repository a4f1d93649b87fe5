import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { format, parse } from 'fast-csv'
import { inTurns } from '../in-turns.ts'
import { type CellText, localCell, localTitle } from './local-cells.ts'
import type { Cell, Column, Table } from './table.ts'

/** About so many characters are written at once. */
const chunkLength = 65_536

/** Writes a table as CSV (RFC 4180, UTF-8, header, CRLF) to a new file, at the pace of the disk; resolves when it is safely there. */
export async function writeCsv(path: string, table: Table, signal?: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', flush: true })
  await pipeline(inTurns(csvChunks(table)), file, ...(signal ? [{ signal }] : []))
}

/** Lines are put together here: with rows as objects through fast-csv, a report of 450,000 rows took 4.2 s, as it is now 2.9 s. */
function* csvChunks({ columns, rows }: Table): Generator<string> {
  let text = csvLine(columns.map(({ name }) => name))
  for (const row of rows) {
    text += csvLine(row.map(cellText))
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  yield text
}

function csvLine(texts: readonly string[]): string {
  return `${texts.map(quoted).join(',')}\r\n`
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Numbers as they are, texts so that no spreadsheet takes them for a formula, nothing for null. */
export function cellText(cell: Cell): string {
  return typeof cell === 'string' ? withoutFormula(cell) : cell === null ? '' : String(cell)
}

/** https://owasp.org/www-community/attacks/CSV_Injection */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

/** The same file for people: titles, the company's time zone, hours and percent. */
export function readLocalized(path: string, columns: readonly Column[], timeZone: string): Readable {
  const cells = columns.map(column => localCell(column.kind, timeZone))
  const source = createReadStream(path)
  const parsed = parse<string[], string[]>({ headers: false })
  const localized = csvFormat()
  pipeline(source, parsed, rows => localize(rows, columns, cells), localized).catch((error: Error) =>
    localized.destroy(error),
  )
  return localized
}

async function* localize(
  rows: AsyncIterable<readonly string[]>,
  columns: readonly Column[],
  cells: readonly CellText[],
): AsyncGenerator<readonly string[]> {
  let isHeader = true
  for await (const row of rows) {
    yield isHeader ? columns.map(localTitle) : row.map((text, i) => cells[i]?.(text) ?? text)
    isHeader = false
  }
}

function csvFormat(): Transform {
  return format<readonly string[], readonly string[]>({
    headers: false,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
}
