import type { Request } from 'express'

/**
 * Returns the address by which the caller reaches this service: as `X-Forwarded-Proto` and `X-Forwarded-Host` of a trusted proxy name it,
 * otherwise as the request does.
 */
export function baseUrlOf(request: Request): string {
  return `${request.protocol === 'https' ? 'https' : 'http'}://${request.host ?? 'localhost'}`
}
