import type { ServerResponse } from 'node:http'
import { constants, type Gzip } from 'node:zlib'
import { pause, unlessAborted } from '../../shared/async/waiting.ts'
import type { AgentFaults } from './agent-faults.ts'

const boundary = '3e0a0b75e3a5a5b2'

interface StreamOptions {
  readonly response: ServerResponse
  /** Compresses the stream; null: it is sent as it is. */
  readonly gzip: Gzip | null
  readonly multipart: 'mixed' | 'x-mixed-replace'
  readonly from: number
  readonly intervalMs: number
  readonly heartbeatMs: number
  /** Returns the document of observations from a sequence on, and the sequence after it. */
  readonly read: (from: number) => { readonly text: string; readonly next: number; readonly count: number }
  /** Returns the document of an error: the buffer no longer has the sequence. */
  readonly outOfRange: (from: number) => string
  /** The present buffer: another one after a restart of the agent. */
  readonly buffer: () => { readonly first: number }
  readonly faults: AgentFaults
}

/**
 * Writes documents until the connection ends: new observations at the interval, otherwise an empty document at the
 * heartbeat. Writes an error and ends the response if the buffer no longer has the next observation.
 */
export async function writeStream(options: StreamOptions): Promise<void> {
  const { response, gzip, multipart, intervalMs, heartbeatMs, read, buffer, outOfRange, faults } = options
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const encoding = gzip === null ? {} : { 'Content-Encoding': 'gzip' }
  response.writeHead(200, { 'Content-Type': `multipart/${multipart};boundary=${boundary}`, ...encoding })
  gzip?.pipe(response)
  const sink = gzip ?? response
  let run = buffer()
  let next = options.from
  let sentMs = -Infinity
  while (!closed.signal.aborted) {
    if (buffer() !== run) {
      run = buffer()
      next = run.first
    }
    if (next < run.first) {
      await write(options, partOf(outOfRange(next)), closed.signal)
      return void sink.end(`\r\n--${boundary}--\r\n`)
    }
    const document = read(next)
    const isDue = document.count > 0 || performance.now() - sentMs >= heartbeatMs
    if (isDue && !faults.isHanging) {
      const part = partOf(document.text)
      if (faults.halfDocuments > 0) {
        faults.halfDocuments--
        await write(options, part.subarray(0, part.length / 2), closed.signal)
        return void response.destroy()
      }
      await write(options, faults.repeatsDocuments ? Buffer.concat([part, part]) : part, closed.signal)
      next = document.next
      sentMs = performance.now()
    }
    await pause(intervalMs, closed.signal)
  }
}

/** The reference agent writes empty lines before and after a document. */
function partOf(text: string): Buffer {
  const body = Buffer.from(text)
  const head = `\r\n--${boundary}\r\nContent-type: text/xml\r\nContent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n\r\n')])
}

/** Writes bytes and waits until the connection has taken them, or has ended. */
async function write({ response, gzip }: StreamOptions, bytes: Buffer, closed: AbortSignal): Promise<void> {
  const written = new Promise<void>(resolve => {
    if (gzip === null) response.write(bytes, () => resolve())
    else gzip.write(bytes, () => gzip.flush(constants.Z_SYNC_FLUSH, () => resolve()))
  })
  await unlessAborted(written, closed).catch(() => undefined)
}
