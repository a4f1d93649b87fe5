import type { Request } from 'express'

/**
 * Where the caller reaches this service, as it or the proxy before it says: only the caller itself gets to see it, so there is no
 * one else to be misled.
 */
export function baseUrlOf(request: Request): string {
  const scheme = first(request.get('x-forwarded-proto')) ?? request.protocol
  const host = first(request.get('x-forwarded-host')) ?? request.get('host') ?? 'localhost'
  return `${scheme === 'https' ? 'https' : 'http'}://${host}`
}

/** Of a list that every proxy adds to, the first is what the caller used. */
function first(header: string | undefined): string | undefined {
  return header?.split(',')[0]?.trim()
}
