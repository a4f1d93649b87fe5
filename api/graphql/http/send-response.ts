import { Readable } from 'node:stream'
import type { Response } from 'express'
import { sendText, pour } from '../../http/respond.ts'
import type { ResponseText } from './response-text.ts'

/** The client must read a response within 30 s plus the time that its bytes take at 100 bytes per ms. */
const readDeadline = { readWithinMs: 30_000, minBytesPerMs: 100 }

/**
 * Sends a response. Disconnects a client that does not read it in time, because the memory of an unread response counts
 * against the quota of the company.
 */
export async function sendResponse(
  response: Response,
  { chunks, bytes }: ResponseText,
  closed: AbortSignal,
  { readWithinMs, minBytesPerMs } = readDeadline,
): Promise<void> {
  if (closed.aborted) return
  const late = setTimeout(() => response.destroy(), readWithinMs + bytes / minBytesPerMs)
  closed.addEventListener('abort', () => clearTimeout(late))
  if (bytes <= smallBytes) await sendText(response, Buffer.concat(chunks).toString())
  else {
    response.set('Content-Length', String(bytes))
    await pour(Readable.from(chunks, { objectMode: false }), response)
  }
}

/** Responses above this size are sent in chunks. */
const smallBytes = 262_144
