import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { parse } from 'fast-csv'
import { ApiError } from '../../../schema/errors.ts'
import { type FileRow, maxColumns, maxRows, payloadTooLarge, unreadable } from '../rows/file-row.ts'
import { csvGuard } from './guard.ts'
import { isSeparatorRow, lookAhead } from './look-ahead.ts'

/** Bytes that are parsed in one step: few, so that the event loop runs; not fewer, because each chunk parses its open row from the start. */
const chunkBytes = 1 << 14

/** Reads the rows of a CSV file, its heading first, at the pace of the reader. The separator is detected by default. Throws an `ApiError`. */
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
      if (row > maxRows + 1) throw payloadTooLarge(`The file has more than ${maxRows} rows`)
      if (cells.length > maxColumns) throw unreadable(`Row ${row} has more than ${maxColumns} columns`)
      if (row > 1 || !isSeparatorRow(cells)) yield { row, cells: cells.map(withoutTextFormula) }
    }
  } catch (error) {
    const reason = failed.error ?? error
    throw reason instanceof ApiError || isOfSystem(reason) ? reason : unreadable(`Row ${row + 1}: invalid CSV`, reason)
  } finally {
    parser.destroy()
  }
}

/** The text of `="00124"`, which keeps leading zeros when a spreadsheet opens the file; other cells as they are. */
function withoutTextFormula(cell: string): string {
  const text = /^="((?:[^"]|"")*)"$/s.exec(cell)?.[1]
  return text === undefined ? cell : text.replaceAll('""', '"')
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
