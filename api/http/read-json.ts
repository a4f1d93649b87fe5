import express, { type Request, type RequestHandler } from 'express'
import { ApiError } from '../../schema/errors.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { parseJsonInTurns } from '../../shared/json/large-json.ts'
import { parseJson } from '../../shared/json/parse-json.ts'
import { parseProblem } from './errors.ts'

const bodies = new WeakMap<Request, unknown>()

/** The body that `readJson` has read; null where there is none. */
export function parsedBody(request: Request): unknown {
  return bodies.get(request) ?? null
}

/** Larger bodies are parsed in pieces, and others get their turn in between. */
const mostAtOnceBytes = 65_536

/** Whether a request has a body that is worked on in turns. */
export function hasLargeBody({ body }: Request): boolean {
  return Buffer.isBuffer(body) && body.length > mostAtOnceBytes
}

/** Reads a body of JSON. Its bounds hold for what is inflated, and are checked before anything is made of it. */
export function readJson(bounds: JsonBounds): RequestHandler[] {
  return [
    requireJson,
    express.raw({ type: () => true, limit: bounds.bytes }),
    async (request, _response, next) => {
      const bytes: unknown = request.body
      if (Buffer.isBuffer(bytes) && bytes.length > 0) bodies.set(request, await parse(bytes, bounds))
      next()
    },
  ]
}

async function parse(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  try {
    return bytes.length > mostAtOnceBytes ? await parseJsonInTurns(bytes, bounds) : parseJson(bytes, bounds)
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApiError(400, 'BadRequest', parseProblem, { cause: error })
    throw error
  }
}

/** A body without a content type is taken for JSON; JSON is UTF-8 (RFC 8259, 8.1). */
const requireJson: RequestHandler = (request, _response, next) => {
  const type = request.headers['content-type']
  if (type !== undefined && request.is(['json', '+json']) === false)
    throw new ApiError(415, 'UnsupportedMediaType', 'The body must be application/json')
  const charset = /;\s*charset="?([^\s";]*)/i.exec(type ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && !charsets.has(charset))
    throw new ApiError(415, 'UnsupportedMediaType', 'The body must be UTF-8')
  next()
}

const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])
