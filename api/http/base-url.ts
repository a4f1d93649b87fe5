import type { Request } from 'express'

/**
 * Address by which the caller reaches this service, as the request or a proxy names it. Only the caller itself sees the
 * address, so a false one misleads nobody else.
 */
export function baseUrlOf(request: Request): string {
  const scheme = first(request.get('x-forwarded-proto')) ?? request.protocol
  const host = first(request.get('x-forwarded-host')) ?? request.get('host') ?? 'localhost'
  return `${scheme === 'https' ? 'https' : 'http'}://${host}`
}

/** Takes the first value of a list. Every proxy adds its own behind it, so the first is the one that the caller used. */
function first(header: string | undefined): string | undefined {
  return header?.split(',')[0]?.trim()
}
