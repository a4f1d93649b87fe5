import express, { type Request, type RequestHandler } from 'express'
import { ApiError, invalidJson } from '../../schema/errors.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { parseJsonCooperatively } from '../../shared/json/large-json.ts'
import { parseJson } from '../../shared/json/parse-json.ts'

const bodies = new WeakMap<Request, unknown>()

/** The body that `readJson` has parsed; null if there is none. */
export function parsedBody(request: Request): unknown {
  return bodies.get(request) ?? null
}

/** Bodies above this size are parsed in cooperative steps. */
const maxAtOnceBytes = 65_536

/** Whether the body is large enough to be handled in cooperative steps. */
export function hasLargeBody({ body }: Request): boolean {
  return Buffer.isBuffer(body) && body.length > maxAtOnceBytes
}

/** Reads a JSON body. The limits apply to the inflated bytes and are checked before parsing. */
export function readJson(bounds: JsonBounds): RequestHandler[] {
  return [
    requireJson,
    requireUtf8,
    readBytes(bounds.bytes),
    async (request, _response, next) => {
      const bytes: unknown = request.body
      if (Buffer.isBuffer(bytes) && bytes.length > 0) bodies.set(request, await parse(bytes, bounds))
      next()
    },
  ]
}

async function parse(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  try {
    return bytes.length > maxAtOnceBytes ? await parseJsonCooperatively(bytes, bounds) : parseJson(bytes, bounds)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidJson(bytes, error)
    throw error
  }
}

/** A body without a content type is parsed as JSON. */
const requireJson: RequestHandler = (request, _response, next) => {
  if (request.headers['content-type'] !== undefined && request.is(['json', '+json']) === false)
    throw new ApiError(415, 'UnsupportedMediaType', 'The body must be application/json')
  next()
}

/** Reads and inflates a body of at most `limitBytes`; 400 with the cause if it cannot be decompressed. */
export function readBytes(limitBytes: number): RequestHandler {
  const read = express.raw({ type: () => true, limit: limitBytes })
  return (request, response, next) => {
    const encoding = encodingOf(request)
    read(request, response, (error?: unknown) => {
      if (encoding === 'identity' || !isDecompressionError(error)) return next(error)
      const message = `The body is not valid ${formats[encoding] ?? encoding}: ${error.message}`
      next(new ApiError(400, 'BadRequest', message, { cause: error }))
    })
  }
}

/** Rejects a body whose declared charset is not UTF-8 or a subset of it: 415. */
export const requireUtf8: RequestHandler = ({ headers }, _response, next) => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && !charsets.has(charset))
    throw new ApiError(415, 'UnsupportedMediaType', 'The body must be UTF-8')
  next()
}

const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

/** `x-gzip` is gzip (RFC 9110, section 8.4.1.3), but express does not read it. */
function encodingOf({ headers }: Request): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'x-gzip') headers['content-encoding'] = 'gzip'
  return encoding
}

const formats: Readonly<Record<string, string>> = { 'x-gzip': 'gzip', deflate: 'deflate (zlib format)', br: 'brotli' }

/** Express sets the type of every error of a body except those of the decompressor. */
function isDecompressionError(error: unknown): error is Error {
  return error instanceof Error && 'status' in error && error.status === 400 && !('type' in error)
}
