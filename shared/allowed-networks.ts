import { BlockList, isIP, isIPv6 } from 'node:net'

const privateNetworks = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
/** Address of a metadata service in a private network: it returns credentials of the cloud. */
const privateMetadata = ['fd00:ec2::254']

/** The networks to which the service may open connections that users configure. */
export class AllowedNetworks {
  readonly #named: BlockList
  readonly #private = blockListOf(privateNetworks)
  readonly #metadata = blockListOf(privateMetadata)
  readonly #hosts: ReadonlySet<string>

  /** `named`: subnets such as `10.0.0.0/8`, addresses, and names of hosts. */
  constructor(named: readonly string[]) {
    const networks = named.filter(each => isIP(each.split('/')[0] ?? '') > 0)
    this.#named = blockListOf(networks)
    this.#hosts = new Set(named.filter(each => !networks.includes(each)).map(hostKey))
  }

  /**
   * Whether an IP address is in a named network, has the name of a named host or, in an installation with one company, is
   * in a private network.
   */
  allows(address: string, isOnlyCompany: boolean, hostname?: string): boolean {
    if (hostname !== undefined && this.#hosts.has(hostKey(hostname))) return true
    const isIn = (list: BlockList) => list.check(address, familyOf(address))
    return isIn(this.#named) || (isOnlyCompany && isIn(this.#private) && !isIn(this.#metadata))
  }
}

/** Names of hosts have no letter case, and may end with a dot. */
function hostKey(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
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
