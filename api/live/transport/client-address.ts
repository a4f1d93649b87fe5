import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ipKeyGenerator } from 'express-rate-limit'
import { compile } from 'proxy-addr'

/** Returns a header of a request by its name. */
type ReadHeader = (name: string) => string | readonly string[] | undefined

/** Maximum number of hops of a header that count: the nearest ones. */
const maxHops = 20
const maxAddressChars = 64

/** Header with the client's address of requests that this process proxies to itself. */
export const passedOnHeader = 'x-takt-client'

/**
 * Finds the address by which a client's connections are counted. An IPv6 network counts as one address, because its
 * owner has all of it.
 */
export class ClientAddresses {
  readonly #isTrusted: (address: string, hop: number) => boolean
  /** Known only to this process, so that no client can set the header. */
  readonly #secret = randomBytes(16).toString('hex')

  /** `trustedProxies`: proxies whose `X-Forwarded-For` is trusted, in the syntax of express. */
  constructor(trustedProxies: readonly string[]) {
    this.#isTrusted = compile([...trustedProxies])
  }

  of(remoteAddress: string, readHeader: ReadHeader): string {
    const prefix = `${this.#secret} `
    const passedOn = String(readHeader(passedOnHeader) ?? '')
    if (passedOn.startsWith(prefix)) return passedOn.slice(prefix.length)
    const forwardedFor = String(readHeader('x-forwarded-for') ?? '')
    const forwarded = forwardedFor === '' ? [] : forwardedFor.split(',').slice(-maxHops)
    // From the nearest hop on: the first one that is not a trusted proxy is the client.
    const hops = [remoteAddress, ...forwarded.reverse().map(text => text.trim())]
    const client = hops.findIndex((address, hop) => !this.#isTrusted(address, hop))
    return ipKeyGenerator((client < 0 ? hops.at(-1) : hops[client])?.slice(0, maxAddressChars) ?? '')
  }

  ofRequest({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    return this.of(socket.remoteAddress ?? '', name => headers[name])
  }

  /** Value of the header `passedOnHeader` for a client's address. */
  passOn(address: string): string {
    return `${this.#secret} ${address}`
  }
}
