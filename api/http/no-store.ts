import type { RequestHandler } from 'express'

/**
 * Disables caching of responses, which may contain data of the caller. Responses with static content set another value.
 */
export const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}
