import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'fast-csv'
import { ApiError } from '../../../schema/errors.ts'
import { type FileRow, mostColumns, mostRows, payloadTooLarge, unreadable } from '../rows/file-row.ts'
import { csvGuard } from './guard.ts'
import { isSeparatorRow, lookAhead } from './look-ahead.ts'

/** Parsed at once, so small that others get their turn; the parser begins a row anew with each chunk, so few to the longest row. */
const chunkBytes = 1 << 14

/** The rows of a CSV file, its heading first, at the pace they are taken. The separator is found out unless it is given. Throws an `ApiError` where it is none. */
export async function* readCsv(path: string, delimiter?: string): AsyncGenerator<FileRow, void> {
  const found = await lookAhead(path)
  const form = { ...found, ...(delimiter !== undefined && { delimiter }) }
  const parser = parse<string[], string[]>({ headers: false, delimiter: form.delimiter, trim: true })
  const failed = { error: null as unknown }
  pipeline(createReadStream(path, { highWaterMark: chunkBytes }), csvGuard(form), parser, error => {
    failed.error ??= error ?? null
  })
  let row = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row++
      if (row > mostRows + 1) throw payloadTooLarge(`The file has more than ${mostRows} rows`)
      if (cells.length > mostColumns) throw unreadable(`Row ${row} has more than ${mostColumns} columns`)
      if (row > 1 || !isSeparatorRow(cells)) yield { row, cells }
    }
  } catch (error) {
    const reason = failed.error ?? error
    throw reason instanceof ApiError || isOfSystem(reason) ? reason : unreadable(`Row ${row + 1} is no CSV`, reason)
  } finally {
    parser.destroy()
  }
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
