import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { compressorFor } from './compress.ts'

/** A response that is a file, which is streamed regardless of its size. */
export interface FileAnswer {
  readonly content: Readable
  readonly contentType: string
  /** File name in `Content-Disposition`. */
  readonly fileName: string
  /** null: unknown before the file is sent. */
  readonly sizeBytes: number | null
}

/**
 * Sends a file at the speed of the caller. If the file ends with an error, the connection is closed, so that the
 * response does not look complete.
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

/** Maximum delay of compressed bytes, also if they are few. */
const flushEveryMs = 1_000

/** Sends a stream at the speed of the caller, compressed if the caller accepts that. */
export async function pour(content: Readable, response: Response): Promise<void> {
  const compressor = compressorFor(response)
  // Each stream of the pipeline adds listeners to the response.
  response.setMaxListeners(0)
  const flushing = setInterval(() => compressor?.flush(), flushEveryMs)
  try {
    if (compressor) await pipeline(content, compressor, response)
    else await pipeline(content, response)
  } catch (error) {
    // A disconnected client is not an error.
    if (!response.destroyed || response.errored) throw error
  } finally {
    clearInterval(flushing)
  }
}
