import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ipKeyGenerator } from 'express-rate-limit'
import { compile } from 'proxy-addr'

/** What of a request says where it comes from. */
export interface Origin {
  readonly remoteAddress: string
  readonly forwardedFor: string | undefined
  readonly passedOn: string | undefined
}

/** Longer headers count by their nearest proxies. */
const mostHops = 20
const maxAddressChars = 64

/** The header by which this process tells itself the address of a client that it passes on. */
export const passedOnHeader = 'x-takt-client'

/** Finds out where clients are, for what is counted by address: an IPv6 network counts as one, as its owner has all of it. */
export class ClientAddresses {
  readonly #isTrusted: (address: string, hop: number) => boolean
  /** Known to this process alone, so that no client can name an address. */
  readonly #secret = randomBytes(16).toString('hex')

  /** `trustedProxies`: whose `X-Forwarded-For` counts, as express takes it. */
  constructor(trustedProxies: readonly string[]) {
    this.#isTrusted = compile([...trustedProxies])
  }

  of({ remoteAddress, forwardedFor, passedOn }: Origin): string {
    const prefix = `${this.#secret} `
    if (passedOn?.startsWith(prefix) === true) return passedOn.slice(prefix.length)
    const said = forwardedFor === undefined ? [] : forwardedFor.split(',').slice(-mostHops)
    // From the nearest on: the first that is no proxy of ours is the client.
    const hops = [remoteAddress, ...said.reverse().map(text => text.trim())]
    const client = hops.findIndex((address, hop) => !this.#isTrusted(address, hop))
    return ipKeyGenerator((client < 0 ? hops.at(-1) : hops[client])?.slice(0, maxAddressChars) ?? '')
  }

  ofRequest({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    const forwardedFor = headers['x-forwarded-for']
    return this.of({
      remoteAddress: socket.remoteAddress ?? '',
      forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor,
      passedOn: undefined,
    })
  }

  /** Address of the client by the header. */
  passOn(address: string): string {
    return `${this.#secret} ${address}`
  }
}
