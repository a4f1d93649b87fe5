import type { Request, RequestHandler } from 'express'
import type { Records } from '../../processors/records/records.ts'
import { authenticate, type Caller } from '../auth/authenticate.ts'

const callers = new WeakMap<Request, Caller>()

/** Lets only requests with a valid key pass, and remembers whose it is. */
export function requireKey(records: Records): RequestHandler {
  return (request, _response, next) => {
    callers.set(request, authenticate(request.headers.authorization, records))
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
