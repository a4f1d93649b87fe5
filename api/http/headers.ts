import type { RequestHandler } from 'express'
import type { ApiSettings } from '../ports/settings.ts'

const exposed =
  'Link, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Takt-Lag-Ms, Takt-Warnings, X-Request-Id'

/** Allows calls from pages of the configured origins, and answers their preflight requests without a key. */
export function cors(origins: ApiSettings['corsOrigins']): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers
    const allowed = origins === '*' ? '*' : origins.find(each => each === origin)
    if (origins !== '*') response.vary('Origin')
    if (origin !== undefined && allowed !== undefined) {
      response.set('Access-Control-Allow-Origin', allowed)
      response.set('Access-Control-Expose-Headers', exposed)
    }
    if (request.method !== 'OPTIONS') {
      next()
      return
    }
    response.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE')
    response.set(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, Content-Encoding, Idempotency-Key, X-Requested-With',
    )
    response.set('Access-Control-Max-Age', '600')
    response.status(204).end()
  }
}

/** Disables caching, because responses may contain data of the caller. Static content sets another value. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}
