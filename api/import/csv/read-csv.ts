import { createReadStream } from 'node:fs'
import { pipeline, Transform } from 'node:stream'
import { parse } from 'fast-csv'
import { ApiError } from '../../../schema/errors.ts'
import { type FileRow, maxColumns, maxRows, payloadTooLarge, unreadable, maxRowChars } from '../rows/file-row.ts'
import { isSeparatorRow, lookAhead, type CsvForm } from './look-ahead.ts'
import { createDecoder } from './decode.ts'

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
    const isOfSystem = reason instanceof Error && 'syscall' in reason
    throw reason instanceof ApiError || isOfSystem ? reason : unreadable(`Row ${row + 1}: invalid CSV`, reason)
  } finally {
    parser.destroy()
  }
}

/** The text of `="00124"`, which keeps leading zeros when a spreadsheet opens the file; other cells as they are. */
function withoutTextFormula(cell: string): string {
  const text = /^="((?:[^"]|"")*)"$/s.exec(cell)?.[1]
  return text === undefined ? cell : text.replaceAll('""', '"')
}

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A cell that begins with a quote, possibly after whitespace, extends to its closing quote. */
type CellState = 'start of cell' | 'plain' | 'quoted' | 'after quote'

/**
 * Passes text on if its rows have a limited length, before a parser buffers them: a quote that is never closed makes
 * one row of all text after it. Fails with an `ApiError`.
 */
export function csvGuard({ delimiter, encoding }: CsvForm): Transform {
  const decode = createDecoder(encoding)
  const separator = delimiter.charCodeAt(0)
  let state: CellState = 'start of cell'
  let row = 1
  let rowChars = 0

  const check = (text: string): void => {
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (row > maxRows + 1) throw payloadTooLarge(`The file has more than ${maxRows} rows`)
      if (++rowChars > maxRowChars)
        throw unreadable(`Row ${row} is longer than ${maxRowChars} characters: is a quote not closed?`)
      if (state === 'quoted') {
        if (char === quote) state = 'after quote'
      } else if (char === quote && state !== 'plain') state = 'quoted'
      else if (char === separator) state = 'start of cell'
      else if (char === lineFeed || char === carriageReturn) {
        if (char === lineFeed) row++
        state = 'start of cell'
        rowChars = 0
      } else if (state !== 'start of cell' || !isSpace(char)) state = 'plain'
    }
  }

  return new Transform({
    readableObjectMode: false,
    transform(chunk: Buffer, _encoding, done) {
      try {
        const text = decode(chunk)
        check(text)
        done(null, text)
      } catch (error) {
        done(asError(error))
      }
    },
    flush(done) {
      try {
        done(null, decode())
      } catch (error) {
        done(asError(error))
      }
    },
  })
}

/** Whitespace as the parser defines it: `\s`. */
function isSpace(char: number): boolean {
  return char < 0x80 ? char === 0x20 || (char >= 0x09 && char <= 0x0d) : /\s/.test(String.fromCharCode(char))
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
