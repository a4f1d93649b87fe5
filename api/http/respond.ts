import { promisify } from 'node:util'
import type { Transform, Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Request, Response } from 'express'
import { pipeline } from 'node:stream/promises'
import { cooperativeStream } from '../json/cooperative-stream.ts'
import { isStreamed, jsonChunks } from '../json/write-json.ts'

/** A compression: of a complete text, off the main thread, or of a stream. */
interface Encoding {
  readonly name: string
  readonly whole: (text: string) => Promise<Buffer>
  readonly stream: () => Transform & Pick<zlib.Gzip, 'flush'>
}

/** Minimum size of a compressed response; a smaller one fits into one packet uncompressed. */
const minBytes = 1024

/** Speed over size: a large report must not wait for its compression. */
const gzip = { level: 1 }
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }

const gzipWhole = promisify<string, zlib.ZlibOptions, Buffer>(zlib.gzip)
const brotliWhole = promisify<string, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

/** Functions of newer versions of Node. */
interface Zstd {
  readonly zstdCompress?: (text: string, done: (error: Error | null, result: Buffer) => void) => void
  readonly createZstdCompress?: () => ReturnType<Encoding['stream']>
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node 20 do not know them yet
const { zstdCompress, createZstdCompress } = zlib as unknown as Zstd

/** Supported encodings. If the caller gives several the same quality, its first one is used. */
const encodings: readonly Encoding[] = [
  ...(zstdCompress && createZstdCompress
    ? [{ name: 'zstd', whole: promisify(zstdCompress), stream: createZstdCompress }]
    : []),
  { name: 'br', whole: text => brotliWhole(text, brotli), stream: () => zlib.createBrotliCompress(brotli) },
  { name: 'gzip', whole: text => gzipWhole(text, gzip), stream: () => zlib.createGzip(gzip) },
]

/** Sends a text, compressed if the caller accepts that and it is large enough. The content type is set already. */
export async function sendText(response: Response, text: string): Promise<void> {
  const encoding = text.length < minBytes ? null : encodingFor(response)
  if (encoding === null) {
    if (text.length < largeText || response.req.method === 'HEAD') response.send(text)
    else sendWithoutTag(response, text)
    return
  }
  const compressed = await encoding.whole(text)
  if (response.destroyed) return
  response.set('Content-Encoding', encoding.name).send(compressed)
}

/** Longer responses get no ETag, because its hash would block the event loop. */
const largeText = 1_000_000

function sendWithoutTag(response: Response, text: string): void {
  const bytes = Buffer.from(text)
  response.set('Content-Length', String(bytes.length)).end(bytes)
}

/** Sets the headers and returns the stream that compresses the response; null: not compressed. */
function compressorFor(response: Response): ReturnType<Encoding['stream']> | null {
  const encoding = isCompressible(response) ? encodingFor(response) : null
  if (encoding === null) return null
  response.removeHeader('Content-Length')
  response.set('Content-Encoding', encoding.name)
  return encoding.stream()
}

/** Whether compression is useful: files of other types are compressed already. */
function isCompressible(response: Response): boolean {
  const type = response.get('Content-Type') ?? ''
  return type.startsWith('text/') || /^application\/([\w-]+\+)?json/.test(type)
}

function encodingFor(response: Response): Encoding | null {
  const request: Request = response.req
  response.vary('Accept-Encoding')
  if (request.method === 'HEAD' || request.headers['accept-encoding'] === undefined) return null
  const name = request.acceptsEncodings(...encodings.map(each => each.name), 'identity')
  return encodings.find(each => each.name === name) ?? null
}

/** A response that is a file, which is streamed regardless of its size. */
export interface FileResponse {
  readonly content: Readable
  readonly contentType: string
  readonly fileName: string
  /** null: unknown before the file is sent. */
  readonly sizeBytes: number | null
}

/** Sends a file at the speed of the caller. An error closes the connection: the response must not look complete. */
export async function sendFile(response: Response, file: FileResponse): Promise<void> {
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

/** Whether a response is or contains an array that is written item by item. */
export function hasStreamedList(answer: unknown): answer is object {
  if (typeof answer !== 'object' || answer === null) return false
  return isStreamed(answer) || Object.values(answer).some(isStreamed)
}

/** Sends a response item by item, at the speed of the caller, in constant memory. Yields to the event loop. */
export async function sendStreamed(response: Response, answer: object): Promise<void> {
  const chunks = jsonChunks(answer)
  const first = chunks.next().value ?? ''
  const second = chunks.next()
  response.type('application/json')
  if (second.done === true) {
    await sendText(response, first)
    return
  }
  await pour(cooperativeStream([first, second.value], chunks), response)
}
