import { type RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ApiError } from '../../schema/errors.ts'
import { callerOf } from './caller.ts'

/** Bounds the requests of each key and user in a minute (0: not at all); `RateLimit-*` headers tell what is left, 429 comes with `Retry-After`. */
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
