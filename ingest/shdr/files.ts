import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { LineSplitter } from './lines.ts'

/**
 * Reads lines of text files, gzip or plain, sequentially, in constant memory; null: a line above the limit of length.
 * Rejects if a file cannot be read.
 */
export async function* readLines(paths: readonly string[]): AsyncIterable<string | null> {
  for (const path of paths) {
    const file = createReadStream(path)
    const text = path.endsWith('.gz') ? createGunzip() : new PassThrough()
    const flowing = pipeline(file, text)
    // A failure also ends the chunks below, and is thrown after them.
    flowing.catch(() => undefined)
    const splitter = new LineSplitter()
    for await (const chunk of text as AsyncIterable<Buffer>) yield* splitter.push(chunk)
    yield* splitter.end()
    await flowing
  }
}
