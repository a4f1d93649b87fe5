import type { Request, RequestHandler } from 'express'
import { ApiError } from '../../schema/errors.ts'
import { baseUrlOf } from './base-url.ts'
import { sessionCookieOf } from './cookie.ts'

/**
 * Refuses what another site's page would do in a user's name. A browser sends the session's cookie by itself, so what changes
 * something with it must say that it comes from a page of this service: by `Sec-Fetch-Site`, which browsers send on https and
 * localhost, else by `Origin`. Signing in is refused only where another site is named.
 */
export function requireSameOrigin(): RequestHandler {
  return (request, _response, next) => {
    if (isUnsafe(request) && isForeign(request)) throw new ApiError(403, 'Forbidden', 'This comes from another site')
    next()
  }
}

function isForeign(request: Request): boolean {
  const said = saidOrigin(request)
  return usesSession(request) ? said !== 'same' : signsIn(request) && said === 'other'
}

/** As routes are matched: in any letter case, with or without a slash at the end. */
function signsIn({ path }: Request): boolean {
  return /^\/session(\/openid(\/start)?)?\/?$/i.test(path)
}

function isUnsafe({ method }: Request): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** An `Authorization` header has the say where there is one. */
function usesSession(request: Request): boolean {
  return request.headers.authorization === undefined && sessionCookieOf(request) !== undefined
}

function saidOrigin(request: Request): 'same' | 'other' | 'unsaid' {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other'
  const { origin } = request.headers
  if (origin === undefined) return 'unsaid'
  // TLS may end at a proxy that does not say so; the host is enough.
  const host = hostOf(baseUrlOf(request))
  return host !== null && hostOf(origin) === host ? 'same' : 'other'
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
