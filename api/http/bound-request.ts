import type { RequestHandler } from 'express'
import { ApiError, fault, validationError } from '../../schema/errors.ts'
import type { ApiSettings } from '../ports/settings.ts'

/**
 * Rejects a request with too many headers or query parameters, or a query that is not UTF-8. The HTTP parser limits
 * their length.
 */
export function boundRequest({
  headers,
  queryParameters,
}: Pick<ApiSettings, 'headers' | 'queryParameters'>): RequestHandler {
  return (request, _response, next) => {
    if (request.rawHeaders.length > 2 * headers)
      throw new ApiError(431, 'RequestHeaderFieldsTooLarge', `A request must have at most ${headers} headers`)
    if (parametersOf(request.url) > queryParameters)
      throw validationError([fault('query', 'OutOfRange', `query must have at most ${queryParameters} parameters`)])
    if (!isQueryUtf8(request.url))
      throw validationError([fault('query', 'InvalidDataItem', 'query must be percent-encoded UTF-8')])
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
