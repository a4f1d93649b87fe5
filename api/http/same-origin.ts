import type { Request, RequestHandler } from 'express'
import { ApiError } from '../../schema/errors.ts'
import { baseUrlOf } from './forwarded.ts'
import { findSessionCookie } from './cookie.ts'

/**
 * Rejects cross-site requests that use the session of a user. Browsers send the cookie by themselves, so a request that
 * changes something must come from a page of this service, according to `Sec-Fetch-Site`, which browsers send on https
 * and localhost, or otherwise `Origin`. A sign-in is rejected only if another site is named.
 */
export function requireSameOrigin(): RequestHandler {
  return (request, _response, next) => {
    const isUnsafe = !['GET', 'HEAD', 'OPTIONS'].includes(request.method)
    if (isUnsafe && isForeign(request)) throw new ApiError(403, 'Forbidden', 'Cross-site request rejected')
    next()
  }
}

function isForeign(request: Request): boolean {
  const site = siteOf(request)
  // An `Authorization` header takes precedence over the cookie.
  const usesSession = request.headers.authorization === undefined && findSessionCookie(request) !== undefined
  // As routes match paths: in any letter case, with or without a slash at the end.
  const signsIn = /^\/session(\/openid(\/start)?)?\/?$/i.test(request.path)
  return usesSession ? site !== 'same' : signsIn && site === 'other'
}

function siteOf(request: Request): 'same' | 'other' | 'unknown' {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other'
  const { origin } = request.headers
  if (origin === undefined) return 'unknown'
  // The scheme may differ if TLS ends at a proxy without `X-Forwarded-Proto`; the host is sufficient.
  const host = parseHost(baseUrlOf(request))
  return host !== null && parseHost(origin) === host ? 'same' : 'other'
}

function parseHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
