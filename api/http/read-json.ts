import type { Request, RequestHandler } from 'express'
import { ApiError, invalidJson } from '../../schema/errors.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { parseJsonCooperatively } from '../../shared/json/large-json.ts'
import { parseJson } from '../../shared/json/parse-json.ts'
import { readBytes, requireUtf8 } from './read-bytes.ts'

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
