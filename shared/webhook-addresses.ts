import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [Address, number]

/**
 * Networks of the server itself, of its link, and of metadata services of clouds, which return credentials. Only a network
 * inside one of these allows its addresses: `0.0.0.0/0` does not.
 */
const innermost = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '::/96',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
].map(toNetwork)
/** Addresses of the internet; other networks of IPv6 embed addresses of IPv4 or are reserved. */
const globalIpv6 = toNetwork('2000::/3')

/** Names all public addresses in the setting; it is not the name of a host. */
const publicAddresses = 'public'

/** The addresses to which webhooks may be sent. */
export class WebhookAddresses {
  readonly #networks: readonly Network[]
  readonly #hosts: ReadonlySet<string>
  readonly #allowsPublic: boolean

  /** `named`: `public` for all public addresses, subnets such as `10.0.0.0/8`, addresses, and names of hosts. */
  constructor(named: readonly string[]) {
    const networks = named.filter(isNetworkOrAddress)
    this.#networks = networks.map(toNetwork)
    const names = named.filter(each => !networks.includes(each)).map(each => each.toLowerCase())
    this.#hosts = new Set(names.filter(each => each !== publicAddresses))
    this.#allowsPublic = names.includes(publicAddresses)
  }

  /** Whether an IP address may be connected. `hostname`: the name of the host that has this address, if it was a name. */
  allows(ip: string, hostname?: string): boolean {
    if (hostname !== undefined && this.#hosts.has(hostname.toLowerCase())) return true
    const address = ipaddr.process(ip)
    const matching = this.#networks.filter(network => isIn(address, network))
    const guards = innermost.filter(network => isIn(address, network))
    if (guards.length > 0) return matching.some(named => guards.some(guard => isInside(named, guard)))
    return matching.length > 0 || (this.#allowsPublic && isPublic(address))
  }
}

/** Whether a text is an IP address or a subnet. */
export function isNetworkOrAddress(text: string): boolean {
  return isIP(text) > 0 || ipaddr.isValidCIDR(text)
}

function toNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isIn(address: Address, [base, bits]: Network): boolean {
  return address.kind() === base.kind() && address.match(base, bits)
}

function isInside([base, bits]: Network, outer: Network): boolean {
  return bits >= outer[1] && isIn(base, outer)
}

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalIpv6))
}
