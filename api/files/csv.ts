import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { format, parse } from 'fast-csv'
import { cooperativeStream } from '../json/cooperative-stream.ts'
import { withoutFormula } from './formula.ts'
import { type CellText, localCell, localTitle } from './local-cells.ts'
import type { FileColumn, FileTable } from './table.ts'

/** Approximate length of a chunk, in characters. */
const chunkLength = 65_536

/** Writes a table as CSV (RFC 4180, UTF-8, header, CRLF) to a new file, at the speed of the disk. */
export async function writeCsv(path: string, table: FileTable, signal?: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx' })
  await pipeline(cooperativeStream(csvChunks(table)), file, ...(signal ? [{ signal }] : []))
}

/**
 * Builds the lines without a library: a report of 450,000 rows takes 2.2 s. It took 4.2 s with rows as objects through
 * fast-csv.
 */
function* csvChunks({ columns, rows }: FileTable): Generator<string> {
  const textOf = rememberTexts()
  let text = csvLine(columns.map(({ name }) => quoted(name)))
  for (const row of rows) {
    let separator = ''
    for (const cell of row) {
      text += separator
      if (typeof cell === 'string') text += textOf(cell)
      else if (cell !== null) text += cell
      separator = ','
    }
    text += lineEnd
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  yield text
}

const lineEnd = '\r\n'

function csvLine(cells: readonly string[]): string {
  return cells.join(',') + lineEnd
}

/** Maximum number of cached escaped texts; names and dates repeat in many rows. */
const maxRemembered = 10_000

function rememberTexts(): (text: string) => string {
  const known = new Map<string, string>()
  return text => {
    let written = known.get(text)
    if (written !== undefined) return written
    written = csvText(text)
    if (known.size < maxRemembered) known.set(text, written)
    return written
  }
}

/** A text as the content of a cell. */
export function csvText(text: string): string {
  return quoted(withoutFormula(text))
}

/** Quotes a text if necessary, or if it begins or ends with a space, which some readers remove. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Reads a stored file in localized form: titles, the time zone of the company, hours, percent and rounded rates. It
 * begins with a byte order mark, because Excel otherwise reads a CSV file as Windows-1252.
 */
export function readLocalized(path: string, columns: readonly FileColumn[], timeZone: string): Readable {
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
  columns: readonly FileColumn[],
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
    writeBOM: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  })
}
