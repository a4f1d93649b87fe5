import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { compressorFor } from './compress.ts'

/** An answer that is a file: streamed, however large it is. */
export interface FileAnswer {
  readonly content: Readable
  readonly contentType: string
  /** Name that the caller's program should give the file. */
  readonly fileName: string
  /** null: not known before the file is sent. */
  readonly sizeBytes: number | null
}

/**
 * Sends a file at the pace that the caller takes it. A file that breaks off half-way closes the connection, so that it
 * does not look complete.
 */
export async function sendFile(response: Response, file: FileAnswer): Promise<void> {
  response.set({
    'Content-Type': file.contentType,
    'Content-Disposition': `attachment; filename="${file.fileName}"`,
    'Cache-Control': 'private, no-store',
    ...(file.sizeBytes !== null && { 'Content-Length': String(file.sizeBytes) }),
  })
  await pour(file.content, response)
}

/** Compressed bytes go out at least this often, however few they are. */
const flushEveryMs = 1_000

/** Sends a stream at the pace that the caller takes it, compressed where the caller takes that. */
export async function pour(content: Readable, response: Response): Promise<void> {
  const compressor = compressorFor(response)
  // Each stream of the pipeline adds listeners to those that observe the response.
  response.setMaxListeners(0)
  const flushing = setInterval(() => compressor?.flush(), flushEveryMs)
  try {
    if (compressor) await pipeline(content, compressor, response)
    else await pipeline(content, response)
  } catch (error) {
    // A client that disconnects is no failure.
    if (!response.destroyed || response.errored) throw error
  } finally {
    clearInterval(flushing)
  }
}
