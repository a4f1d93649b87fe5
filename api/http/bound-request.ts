import type { RequestHandler } from 'express'
import { ApiError, fault, validationError } from '../../schema/errors.ts'
import type { ApiSettings } from '../ports/settings.ts'

/** Refuses a request with too many headers or parameters of its query. Their length is bounded by what the server reads of headers. */
export function boundRequest({
  headers,
  queryParameters,
}: Pick<ApiSettings, 'headers' | 'queryParameters'>): RequestHandler {
  return (request, _response, next) => {
    if (request.rawHeaders.length > 2 * headers)
      throw new ApiError(431, 'RequestHeaderFieldsTooLarge', `A request must have at most ${headers} headers`)
    if (parametersOf(request.url) > queryParameters)
      throw validationError([fault('query', 'OutOfRange', `query must have at most ${queryParameters} parameters`)])
    next()
  }
}

function parametersOf(url: string): number {
  const start = url.indexOf('?')
  if (start < 0) return 0
  let count = 1
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) count += 1
  return count
}
