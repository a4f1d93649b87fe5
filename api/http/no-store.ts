import type { RequestHandler } from 'express'

/** Keeps responses out of every cache: they may have data of the caller. Responses of static content set another value. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}
