import type { RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ApiError, fieldError, validationError } from '../../schema/errors.ts'
import { callerOf } from './caller.ts'
import type { ApiSettings } from '../ports/settings.ts'

/** Limits the requests of each key and user per minute; 0: no limit. `RateLimit-*` headers state the remaining ones. */
export function limitRequests(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    keyGenerator: request => callerOf(request).id,
    skip: () => requestsPerMinute === 0,
    handler: () => {
      throw new ApiError(429, 'TooManyRequests', 'Too many requests')
    },
  })
}

/** Rejects too many headers or query parameters, and a query that is not UTF-8; the parser limits their length. */
export function boundRequest({
  headers,
  queryParameters,
}: Pick<ApiSettings, 'headers' | 'queryParameters'>): RequestHandler {
  return (request, _response, next) => {
    if (request.rawHeaders.length > 2 * headers)
      throw new ApiError(431, 'RequestHeaderFieldsTooLarge', `A request must have at most ${headers} headers`)
    if (parametersOf(request.url) > queryParameters)
      throw validationError([
        fieldError('query', 'OutOfRange', `query must have at most ${queryParameters} parameters`),
      ])
    if (!isQueryUtf8(request.url))
      throw validationError([fieldError('query', 'InvalidDataItem', 'query must be percent-encoded UTF-8')])
    next()
  }
}

/** Express would replace invalid bytes by U+FFFD. */
function isQueryUtf8(url: string): boolean {
  const start = url.indexOf('?')
  const encoded = start < 0 ? null : url.slice(start).match(/(?:%[\da-f]{2})+/gi)
  try {
    decodeURIComponent(encoded?.join('/') ?? '')
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

function parametersOf(url: string): number {
  const start = url.indexOf('?')
  if (start < 0) return 0
  let count = 1
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) count += 1
  return count
}
