import { BlockList, isIPv6 } from 'node:net'

const privateNetworks = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

/** The networks to which the service may open connections that users configure. */
export class AllowedNetworks {
  readonly #named: BlockList
  readonly #private = blockListOf(privateNetworks)

  /** `named`: subnets such as `10.0.0.0/8`, or addresses. */
  constructor(named: readonly string[]) {
    this.#named = blockListOf(named)
  }

  /** Whether an IP address is in a named network or, in an installation with one company, in a private one. */
  allows(address: string, isOnlyCompany: boolean): boolean {
    return [this.#named, ...(isOnlyCompany ? [this.#private] : [])].some(list => list.check(address, familyOf(address)))
  }
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
