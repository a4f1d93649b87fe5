import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Response } from 'express'

/** Encodings of static content, the preferred one first. */
const encoders = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const

type Encoding = keyof typeof encoders
const encodings: readonly Encoding[] = ['br', 'gzip']

/** Smaller content fits in one packet without compression. */
const minCompressedBytes = 1_024

/**
 * Content that is the same for every client while the process runs. It is prepared once: all responses share its bytes, also the compressed
 * ones, and carry an ETag, by which a client need not receive it again.
 */
export class StaticContent {
  /** Media type, or a file's extension. */
  readonly #type: string
  readonly #bytes: Buffer
  readonly #etag: string
  readonly #encoded: Map<Encoding, Promise<Buffer>>

  /** `encoded`: compressed bytes, if they exist already. */
  constructor(type: string, content: string | Buffer, encoded: readonly (readonly [Encoding, Buffer])[] = []) {
    this.#type = type
    this.#bytes = Buffer.from(content)
    this.#etag = `W/"${createHash('sha256').update(this.#bytes).digest('base64url').slice(0, 22)}"`
    this.#encoded = new Map(encoded.map(([name, bytes]) => [name, Promise.resolve(bytes)]))
  }

  /** Sends the content, or 304 if the client has it. */
  async send(response: Response, cacheControl = 'no-cache'): Promise<void> {
    response.type(this.#type).set({ ETag: this.#etag, 'Cache-Control': cacheControl })
    const encoding = this.#encodingFor(response)
    const bytes = encoding === null ? this.#bytes : await this.#encode(encoding)
    if (response.destroyed) return
    if (encoding !== null) response.set('Content-Encoding', encoding)
    response.send(bytes)
  }

  #encodingFor(response: Response): Encoding | null {
    const type = response.get('Content-Type') ?? ''
    if (this.#bytes.length < minCompressedBytes || !/^text\/|javascript|json|svg/.test(type)) return null
    response.vary('Accept-Encoding')
    if (response.req.headers['accept-encoding'] === undefined) return null
    const name = response.req.acceptsEncodings(...encodings, 'identity')
    return encodings.find(each => each === name) ?? null
  }

  #encode(encoding: Encoding): Promise<Buffer> {
    const encoded = this.#encoded.get(encoding) ?? encoders[encoding](this.#bytes)
    this.#encoded.set(encoding, encoded)
    return encoded
  }
}
