import { hostOf } from '../../shared/literal-ip.ts'
import type { ConnectorKind } from './connector.ts'

const schemes: Readonly<Record<ConnectorKind, readonly string[]>> = {
  mtconnect: ['http', 'https'],
  shdr: ['tcp'],
  mqtt: ['mqtt', 'mqtts'],
  http: [],
}

/** Returns what is wrong with the address of a connector, such as `must begin with tcp://`; null: nothing. */
export function addressProblem(kind: ConnectorKind, address: string | null): string | null {
  const allowed = schemes[kind]
  if (allowed.length === 0) return address === null ? null : `must be null for the kind ${kind}`
  const prefixes = allowed.map(scheme => `${scheme}://`).join(' or ')
  const url = address === null ? null : URL.parse(address)
  if (address === null || url === null || !allowed.some(scheme => address.startsWith(`${scheme}://`)))
    return `must begin with ${prefixes}`
  if (hostOf(address) === null) return 'must name a host'
  const credentials = credentialsProblem(address)
  if (credentials !== null) return credentials
  if (kind !== 'mtconnect' && !['', '/'].includes(`${url.pathname}${url.search}${url.hash}`))
    return 'must end after the port'
  return null
}

/** Returns what is wrong if an address contains a user or password; null: nothing. */
export function credentialsProblem(address: string): string | null {
  const url = URL.parse(address)
  if (url === null || (url.username === '' && url.password === '')) return null
  return 'must not contain a user or password: use options.user and secrets.password'
}
