import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import { compressorFor } from './compress.ts'

/** An answer that is a file: streamed, however large it is. */
export interface FileAnswer {
  readonly content: Readable
  readonly contentType: string
  /** What the caller's program should call it. */
  readonly fileName: string
  /** null: known only when it has been sent. */
  readonly sizeBytes: number | null
}

/** Sends a file at the pace that the caller takes it. One that breaks off half-way closes the connection, so that it can't pass for whole. */
export async function sendFile(response: Response, file: FileAnswer): Promise<void> {
  response.set({
    'Content-Type': file.contentType,
    'Content-Disposition': `attachment; filename="${file.fileName}"`,
    'Cache-Control': 'private, no-store',
    ...(file.sizeBytes !== null && { 'Content-Length': String(file.sizeBytes) }),
  })
  await pour(file.content, response)
}

/** What was compressed goes out this often, however little it is. */
const flushEveryMs = 1_000

/** Sends a stream at the pace that the caller takes it, compressed where the caller takes that. */
export async function pour(content: Readable, response: Response): Promise<void> {
  const compressor = compressorFor(response)
  const flushing = setInterval(() => compressor?.flush(), flushEveryMs)
  try {
    if (compressor) await pipeline(content, compressor, response)
    else await pipeline(content, response)
  } catch (error) {
    // The caller going away is no fault of anyone's.
    if (!response.destroyed || response.errored) throw error
  } finally {
    clearInterval(flushing)
  }
}
