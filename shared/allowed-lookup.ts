import { lookup, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** Resolves a host name to all of its addresses, as `lookup` of `node:dns` does. */
export type ResolveName = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void

const defaultWithinMs = 10_000

export interface AllowedLookupOptions {
  /** Whether connections to an IP address of a host name may be opened. */
  readonly allows: (address: string, hostname: string) => boolean
  /** Creates the error for a host name without an allowed address. Its addresses stay secret: companies see the error. */
  readonly notAllowed: (hostname: string) => Error
  /** By default the resolver of the operating system. */
  readonly resolve?: ResolveName
  /** Limit of a lookup, ms. The resolver of the operating system has none. */
  readonly withinMs?: number
}

/**
 * Returns a lookup of host names for sockets. It returns allowed addresses only, to which the socket then connects without
 * another lookup: a name that changes its address later gains nothing. A socket does not call it for literal addresses.
 */
export function allowedLookup({
  allows,
  notAllowed,
  resolve = lookup,
  withinMs = defaultWithinMs,
}: AllowedLookupOptions): LookupFunction {
  return (hostname, options, respond) => {
    let callback = respond
    const timer = setTimeout(() => {
      callback = () => undefined
      respond(new Error(`The lookup of ${hostname} took longer than ${withinMs} ms`), '')
    }, withinMs)
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      clearTimeout(timer)
      const allowed = error ? [] : addresses.filter(({ address }) => allows(address, hostname))
      const [first] = allowed
      if (first === undefined) callback(error ?? notAllowed(hostname), '')
      else if (options.all === true) callback(null, [...allowed])
      else callback(null, first.address, first.family)
    })
  }
}
