import { type RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ApiError } from '../../schema/errors.ts'
import { callerOf } from './caller.ts'

/**
 * Limits the requests of each key and user per minute (0: no limit). The `RateLimit-*` headers state the remaining
 * requests; 429 has `Retry-After`.
 */
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
