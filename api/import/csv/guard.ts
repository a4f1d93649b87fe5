import { TextDecoder } from 'node:util'
import { Transform } from 'node:stream'
import { mostRowBytes, mostRows, otherKind, tooLarge, unreadable } from '../rows.ts'

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Within a cell that begins with a quote everything up to its closing quote belongs to it. */
type Place = 'start of cell' | 'plain' | 'quoted' | 'after quote'

/**
 * Lets UTF-8 text through whose rows have a bounded length, before a parser gathers them: a quote that is never closed makes one
 * row of all that follows. Fails with an `ApiError`.
 */
export function csvGuard(delimiter: string): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const separator = delimiter.charCodeAt(0)
  let isFirst = true
  let place: Place = 'start of cell'
  let row = 1
  let rowBytes = 0

  const look = (chunk: Buffer): void => {
    for (const byte of chunk) {
      if (++rowBytes > mostRowBytes)
        throw unreadable(`Row ${row} is longer than ${mostRowBytes} bytes: is a quote not closed?`)
      if (place === 'quoted') {
        if (byte === quote) place = 'after quote'
      } else if (byte === quote && place !== 'plain') place = 'quoted'
      else if (byte === separator) place = 'start of cell'
      else if (byte === lineFeed || byte === carriageReturn) {
        if (byte === lineFeed && ++row > mostRows + 1) throw tooLarge(`The file has more than ${mostRows} rows`)
        place = 'start of cell'
        rowBytes = 0
      } else place = 'plain'
    }
  }

  return new Transform({
    readableObjectMode: false,
    transform(chunk: Buffer, _encoding, done) {
      try {
        if (isFirst) refuseOtherKinds(chunk)
        isFirst = false
        look(chunk)
        done(null, decode(decoder, chunk))
      } catch (error) {
        done(asError(error))
      }
    },
    flush(done) {
      try {
        done(null, decode(decoder))
      } catch (error) {
        done(asError(error))
      }
    },
  })
}

function refuseOtherKinds(chunk: Buffer): void {
  if (chunk.subarray(0, 4).equals(zipStart)) throw otherKind('The file is an XLSX or ZIP file, not CSV')
  const [first, second] = chunk
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw unreadable('The file is UTF-16; it must be UTF-8')
}

export const zipStart = Buffer.from([0x50, 0x4b, 0x03, 0x04])

/** Without a chunk: what is left at the end. Drops a byte order mark. */
function decode(decoder: TextDecoder, chunk?: Buffer): string {
  if (chunk?.includes(0)) throw unreadable('The file is binary, not text')
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch (cause) {
    throw unreadable('The file is not UTF-8', cause)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
