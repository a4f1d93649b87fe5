import { promisify } from 'node:util'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Request, Response } from 'express'

/** A compression: of a complete text, off the main thread, or of a stream. */
interface Encoding {
  /** Name in HTTP headers. */
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

/**
 * Sends the text of a response, compressed if the caller accepts that and it is large enough. The content type is set
 * already.
 */
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
export function compressorFor(response: Response): ReturnType<Encoding['stream']> | null {
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
