import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { cooperativeStream } from '../json/cooperative-stream.ts'
import type { FileTable } from './table.ts'
import { csvText, quoted } from '../../shared/csv-text.ts'

const chunkLength = 65_536

/** How the rows of a stored file are written; cells are separated by commas. */
export interface RowForm {
  readonly hasHeader: boolean
  readonly start: string
  readonly end: string
  /** A cell without a value. */
  readonly none: string
  readonly textOf: (text: string) => string
}

export const rowForms = {
  /** CSV (RFC 4180, UTF-8, header, CRLF). */
  csv: { hasHeader: true, start: '', end: '\r\n', none: '', textOf: csvText },
  /** Rows of a workbook: arrays in JSON, one a line, because JSON is read faster than CSV. */
  xlsx: { hasHeader: false, start: '[', end: ']\n', none: 'null', textOf: text => JSON.stringify(text) },
} as const satisfies Readonly<Record<string, RowForm>>

interface TextRowsOptions {
  readonly format?: keyof typeof rowForms
  readonly signal?: AbortSignal | undefined
}

/** Writes the rows of a table to a new file, at the speed of the disk. */
export async function writeTextRows(
  path: string,
  table: FileTable,
  { format = 'csv', signal }: TextRowsOptions = {},
): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx' })
  await pipeline(cooperativeStream(textChunks(table, rowForms[format])), file, ...(signal ? [{ signal }] : []))
}

/** Built without a library: a report of 450,000 rows takes 2.2 s, and 4.2 s with rows as objects through fast-csv. */
function* textChunks({ columns, rows }: FileTable, form: RowForm): Generator<string> {
  const textOf = cacheTexts(form.textOf)
  let text = form.hasHeader ? columns.map(({ name }) => quoted(name)).join(',') + form.end : ''
  for (const row of rows) {
    let separator = form.start
    for (const cell of row) {
      text += separator
      if (typeof cell === 'string') text += textOf(cell)
      else text += cell ?? form.none
      separator = ','
    }
    text += form.end
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  yield text
}

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
