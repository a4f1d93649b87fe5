import { Readable } from 'node:stream'
import type { Response } from 'express'
import { sendText, pour } from '../../http/respond.ts'
import type { ResponseText } from './response-text.ts'

/** A client must read a response within this time plus the time that its bytes take at this rate. */
const patience = { readWithinMs: 30_000, minBytesPerMs: 100 }

/**
 * Sends a response that is not closed yet. Disconnects a client that does not read the response in time, because its
 * memory counts for the company.
 */
export async function sendResponse(
  response: Response,
  { chunks, bytes }: ResponseText,
  closed: AbortSignal,
  { readWithinMs, minBytesPerMs } = patience,
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

/** Larger responses are sent in chunks. */
const smallBytes = 262_144
