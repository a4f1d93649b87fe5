import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/**
 * The caller's address for limits by address: an IPv6 network counts as one address, because its owner has all of it.
 */
export function clientAddressOf(request: Request): string {
  return ipKeyGenerator(request.ip ?? '')
}
