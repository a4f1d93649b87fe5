import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { parse } from 'fast-csv'

/** Reads the rows of a stored CSV file, the header first. Destroy the stream to end it early. */
export function readRows(path: string): Readable {
  const rows = parse<string[], string[]>({ headers: false })
  pipeline(createReadStream(path), rows, () => {
    // An error has destroyed the rows with it.
  })
  return rows
}
