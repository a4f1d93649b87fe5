import type { LookupFunction } from 'node:net'
import { allowedLookup as lookupOf } from '../../shared/allowed-lookup.ts'
import { literalIp } from '../../shared/literal-ip.ts'
import { SourceError } from '../source/source.ts'

/** Whether a connector may open connections to an IP address. `hostname`: the name that has the address, if it was a name. */
export type AllowsAddress = (address: string, hostname?: string) => boolean

/** Returns a lookup of host names that rejects addresses outside the allowed networks with a `SourceError`. */
export function allowedLookup(allows: AllowsAddress): LookupFunction {
  return lookupOf({ allows, notAllowed })
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
