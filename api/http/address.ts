import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/** Where the caller is, for what is counted by address: an IPv6 network counts as one, as its owner has all of it. */
export function clientAddressOf(request: Request): string {
  return ipKeyGenerator(request.ip ?? '')
}
