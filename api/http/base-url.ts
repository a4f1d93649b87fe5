import type { Request } from 'express'

/**
 * Returns the URL at which the caller reaches this service: from `X-Forwarded-Proto` and `X-Forwarded-Host` of a
 * trusted proxy, otherwise from the request.
 */
export function baseUrlOf(request: Request): string {
  const { host, 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': forwardedProto } = request.headers
  // The common case, without the check of the proxy's address.
  if (forwardedHost === undefined && forwardedProto === undefined) return `http://${host ?? 'localhost'}`
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host ?? 'localhost'}`
}
