import { EventEmitter } from 'node:events'
import type { ReadMessage } from '../outbox/connection.ts'
import { parseMessage } from '../limits/message-limits.ts'
import { TokenBucket } from '../limits/token-bucket.ts'

/** Types of packets: https://socket.io/docs/v4/socket-io-protocol/ */
const packetTypes = { connect: 0, disconnect: 1, event: 2, ack: 3 } as const

interface Packet {
  readonly type: number
  readonly nsp: string
  readonly id?: number | undefined
  readonly data?: unknown
}

/** Limit of connections to namespaces: the burst, with one more per second. */
const connectsAtOnce = 30
const maxNamespaceChars = 200

/** Encodes packets as Socket.IO does; this service sends no binary packets. */
class Encoder {
  encode({ type, nsp, id, data }: Packet): readonly string[] {
    const namespace = nsp === '/' ? '' : `${nsp},`
    const json = data === undefined || data === null ? '' : JSON.stringify(data)
    return [`${type}${namespace}${id ?? ''}${json}`]
  }
}

/**
 * Parses the head of packets and leaves the JSON of events as a string, which `readSocketIo` parses when the rate limit
 * of the client allows it. Throws, which closes the connection, if a client of the channels would not send the packet.
 */
class Decoder extends EventEmitter {
  readonly #connects = new TokenBucket(1, connectsAtOnce, performance.now())

  add(packet: unknown): void {
    if (typeof packet !== 'string') throw new Error('Binary packets are not supported')
    this.emit('decoded', this.#decode(packet))
  }

  destroy(): void {
    this.removeAllListeners()
  }

  #decode(packet: string): Packet {
    const type = packet.charCodeAt(0) - 0x30
    const { nsp, rest } = namespaceOf(packet)
    switch (type) {
      case packetTypes.connect:
        if (!this.#connects.consume(performance.now())) throw new Error('Too many connections to namespaces')
        // `join` contains the token; other content is ignored.
        return { type, nsp }
      case packetTypes.disconnect:
        return { type, nsp }
      case packetTypes.event: {
        const { id, json } = idOf(packet, rest)
        return { type, nsp, id, data: [rawEvent, json] }
      }
      default:
        throw new Error('Unsupported packet type')
    }
  }
}

/** Name of the event under which a socket's listener receives all events. */
const rawEvent = 'raw'

/** For the option `parser` of Socket.IO. */
export const lazyParser = { Encoder, Decoder }

/** Parses the JSON of an event: an array of its name and its arguments. */
export function readSocketIo(json: string): ReadMessage | null {
  const event = parseMessage(json)
  if (!Array.isArray(event)) return null
  const [command, data]: readonly unknown[] = event
  return typeof command === 'string' ? { command, data: data ?? null } : null
}

function namespaceOf(packet: string): { readonly nsp: string; readonly rest: number } {
  if (packet.charAt(1) !== '/') return { nsp: '/', rest: 1 }
  const head = packet.slice(1, maxNamespaceChars + 1)
  const comma = head.indexOf(',')
  if (comma >= 0) return { nsp: head.slice(0, comma), rest: comma + 2 }
  if (packet.length > maxNamespaceChars) throw new Error('The name of the namespace is too long')
  return { nsp: head, rest: packet.length }
}

/** Maximum digits of a packet id; no client's counter reaches it. */
const maxIdDigits = 15

function idOf(packet: string, from: number): { readonly id: number | undefined; readonly json: string } {
  let end = from
  while (end - from < maxIdDigits && isDigit(packet.charCodeAt(end))) end++
  return { id: end > from ? Number(packet.slice(from, end)) : undefined, json: packet.slice(end) }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
