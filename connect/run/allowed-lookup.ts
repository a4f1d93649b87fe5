import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { literalIp } from '../../schema/records/connector-address.ts'
import { SourceError } from '../source/source.ts'

/** Whether a connector may open connections to an IP address. */
export type AllowsAddress = (address: string) => boolean

/** Returns a lookup of host names that rejects addresses outside the allowed networks with a `SourceError`. */
export function allowedLookup(allows: AllowsAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => allows(address))
      const [first] = allowed
      if (first === undefined) callback(error ?? notAllowed(addresses[0]?.address ?? hostname), '')
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

/** Throws a `SourceError` if an address names an IP address outside the allowed networks. */
export function requireAllowed(address: string | null, allows: AllowsAddress): void {
  const ip = address === null ? null : literalIp(address)
  if (ip !== null && !allows(ip)) throw notAllowed(ip)
}

function notAllowed(address: string): SourceError {
  return new SourceError(
    `The address ${address} is not in an allowed network: an administrator can add it to TAKT_CONNECT_ALLOW`,
    'invalid',
  )
}
