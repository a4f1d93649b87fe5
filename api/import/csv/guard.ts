import { Transform } from 'node:stream'
import { createDecoder } from './decode.ts'
import type { CsvForm } from './look-ahead.ts'
import { maxRowChars, maxRows, payloadTooLarge, unreadable } from '../rows/file-row.ts'

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A cell that begins with a quote, possibly after whitespace, extends to its closing quote. */
type Place = 'start of cell' | 'plain' | 'quoted' | 'after quote'

/**
 * Passes text on if its rows have a limited length, before a parser buffers them: a quote that is never closed makes
 * one row of all text after it. Fails with an `ApiError`.
 */
export function csvGuard({ delimiter, encoding }: CsvForm): Transform {
  const decode = createDecoder(encoding)
  const separator = delimiter.charCodeAt(0)
  let place: Place = 'start of cell'
  let row = 1
  let rowChars = 0

  const look = (text: string): void => {
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (row > maxRows + 1) throw payloadTooLarge(`The file has more than ${maxRows} rows`)
      if (++rowChars > maxRowChars)
        throw unreadable(`Row ${row} is longer than ${maxRowChars} characters: is a quote not closed?`)
      if (place === 'quoted') {
        if (char === quote) place = 'after quote'
      } else if (char === quote && place !== 'plain') place = 'quoted'
      else if (char === separator) place = 'start of cell'
      else if (char === lineFeed || char === carriageReturn) {
        if (char === lineFeed) row++
        place = 'start of cell'
        rowChars = 0
      } else if (place !== 'start of cell' || !isSpace(char)) place = 'plain'
    }
  }

  return new Transform({
    readableObjectMode: false,
    transform(chunk: Buffer, _encoding, done) {
      try {
        const text = decode(chunk)
        look(text)
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
