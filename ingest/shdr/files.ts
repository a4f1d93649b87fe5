import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/** Reads lines of text files, gzip or plain, sequentially, in constant memory. Rejects if a file cannot be read. */
export async function* readLines(paths: readonly string[]): AsyncIterable<string> {
  for (const path of paths) {
    const file = createReadStream(path)
    const text = path.endsWith('.gz') ? createGunzip() : new PassThrough()
    const flowing = pipeline(file, text)
    // A failure also ends the lines below, and is thrown after them.
    flowing.catch(() => undefined)
    yield* linesOf(text)
    await flowing
  }
}

async function* linesOf(text: Readable): AsyncIterable<string> {
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
}
