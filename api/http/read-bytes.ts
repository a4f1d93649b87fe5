import express, { type Request, type RequestHandler } from 'express'
import { ApiError } from '../../schema/errors.ts'

/**
 * Reads and inflates a body of at most `limitBytes`; a body that cannot be decompressed is a 400 that states the cause.
 */
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
