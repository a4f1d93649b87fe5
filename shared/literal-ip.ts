import { isIP } from 'node:net'

/** Returns the host of an address: a name, or an IP address in its usual form; null: the address has none. */
export function hostOf(address: string): string | null {
  // Only the parser of http recognizes all forms of IP addresses, such as 0x7f.1.
  const host = URL.parse(`http://${URL.parse(address)?.host ?? ''}`)?.hostname ?? ''
  return host === '' ? null : host.replace(/^\[(.*)\]$/, '$1')
}

/** Returns the IP address that an address names literally; null: a host name, or an invalid address. */
export function literalIp(address: string): string | null {
  const host = hostOf(address)
  return host !== null && isIP(host) > 0 ? host : null
}
