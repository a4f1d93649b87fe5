import type { Request, RequestHandler } from 'express'
import { authenticate, authenticateUserToken, type Caller, type KeyRecords } from '../auth/authenticate.ts'

const callers = new WeakMap<Request, Caller>()

/**
 * Lets only requests with a valid key or user token pass, and remembers whose it is. Under `tokenPaths` the token may be in the
 * query (`?token=`), where a browser or a spreadsheet can put it.
 */
export function requireKey(records: KeyRecords, tokenPaths = ''): RequestHandler {
  return (request, _response, next) => {
    const token = tokenPaths !== '' && request.path.startsWith(tokenPaths) ? request.query['token'] : undefined
    callers.set(
      request,
      typeof token === 'string'
        ? authenticateUserToken(token, records)
        : authenticate(request.headers.authorization, records),
    )
    next()
  }
}

/** Who asks; throws where no key was required. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new Error(`${request.method} ${request.path} has no caller`)
  return caller
}

/** The same, null where no key was required or none was valid. */
export function callerIfAny(request: Request): Caller | null {
  return callers.get(request) ?? null
}
