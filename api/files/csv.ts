import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { format, parse } from 'fast-csv'
import { cooperativeStream } from '../json/cooperative-stream.ts'
import type { FileColumn, FileTable, ColumnKind } from './table.ts'
import { csvText, quoted } from '../../shared/csv-text.ts'
import { createZone } from '../../processors/calendar/zone.ts'
import { hourMs } from '../../shared/time/units.ts'

const chunkLength = 65_536

/** Writes a table as CSV (RFC 4180, UTF-8, header, CRLF) to a new file, at the speed of the disk. */
export async function writeCsv(path: string, table: FileTable, signal?: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx' })
  await pipeline(cooperativeStream(csvChunks(table)), file, ...(signal ? [{ signal }] : []))
}

/** Built without a library: a report of 450,000 rows takes 2.2 s, and 4.2 s with rows as objects through fast-csv. */
function* csvChunks({ columns, rows }: FileTable): Generator<string> {
  const textOf = cacheTexts()
  let text = columns.map(({ name }) => quoted(name)).join(',') + lineEnd
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

/** Maximum number of cached escaped texts; names and dates repeat in many rows. */
const maxCached = 10_000

function cacheTexts(): (text: string) => string {
  const known = new Map<string, string>()
  return text => {
    let written = known.get(text)
    if (written !== undefined) return written
    written = csvText(text)
    if (known.size < maxCached) known.set(text, written)
    return written
  }
}

/** Reads a stored file in localized form. The byte order mark prevents Excel from reading Windows-1252. */
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

/** Converts the plain text of a cell to its localized form; an empty cell stays empty. */
type CellText = (text: string) => string

function localTitle({ title, kind }: FileColumn): string {
  const unit = units[kind]
  return unit === null ? title : `${title} (${unit})`
}

const units: Readonly<Record<ColumnKind, string | null>> = {
  text: null,
  date: null,
  instant: null,
  number: null,
  integer: null,
  ms: 'h',
  msPerPart: 's',
  ratio: '%',
  rate: null,
}

/** Instants in the time zone, times as hours with two decimals, rates with two, ratios as percent with one. */
function localCell(kind: ColumnKind, timeZone: string): CellText {
  const convert = converters[kind](timeZone)
  return text => (text === '' ? '' : convert(text))
}

const converters: Readonly<Record<ColumnKind, (timeZone: string) => CellText>> = {
  text: () => same,
  number: () => same,
  integer: () => same,
  date: () => text => text.slice(0, 10),
  instant: timeZone => localInstant(timeZone),
  ms: () => text => (Number(text) / hourMs).toFixed(2),
  // Seconds, because a part takes a small fraction of an hour.
  msPerPart: () => text => (Number(text) / 1000).toFixed(2),
  ratio: () => text => (Number(text) * 100).toFixed(1),
  rate: () => text => Number(text).toFixed(2),
}

function same(text: string): string {
  return text
}

function localInstant(timeZone: string): CellText {
  const zone = createZone(timeZone)
  return text => {
    const atMs = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
    return new Date(atMs + zone.offsetMs(atMs)).toISOString().slice(0, 19).replace('T', ' ')
  }
}
