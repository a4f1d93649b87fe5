import type { Writable } from 'node:stream'
import { channelPath, type Channel } from '../../../schema/requests/live.ts'

/** A message to one client. */
export interface Outgoing {
  /** Estimated bytes in a buffer. */
  readonly bytes: number
  /** Writes the message as one WebSocket text message. */
  write(socket: Writable): void
}

/**
 * One event for any number of subscribers. It is encoded once per transport, on first use, and shared by all of them.
 */
export class Frame implements Outgoing {
  readonly channel: Channel
  readonly event: string
  /** The event's data as JSON. */
  readonly json: string
  #text: Buffer | null = null
  #wire: Buffer | null = null
  #packet: string | null = null
  #packetWire: Buffer | null = null

  constructor(channel: Channel, event: string, json: string) {
    this.channel = channel
    this.event = event
    this.json = json
  }

  /** Estimated bytes in a buffer. */
  get bytes(): number {
    return this.json.length + 64
  }

  /** The text message of a plain WebSocket. */
  get text(): Buffer {
    return (this.#text ??= Buffer.from(`{"event":"${this.event}","data":${this.json}}`))
  }

  /** `text` as a WebSocket text message with its header. */
  get wire(): Buffer {
    return (this.#wire ??= textMessage(this.text))
  }

  write(socket: Writable): void {
    socket.write(this.wire)
  }

  /** The event packet of Socket.IO, after the `4` of an Engine.IO message. */
  get packet(): string {
    return (this.#packet ??= `42${channelPath}${this.channel},["${this.event}",${this.json}]`)
  }

  /** An Engine.IO message for a client that writes the channel's path differently. */
  packetFor(namespace: string): string {
    return `2${namespace},["${this.event}",${this.json}]`
  }

  /** `packet` as a WebSocket text message with its header. */
  get packetWire(): Buffer {
    return (this.#packetWire ??= textMessage(Buffer.from(this.packet)))
  }
}

/** An event for a single subscriber. */
export function frameOf(channel: Channel, event: string, data: unknown): Frame {
  return new Frame(channel, event, JSON.stringify(data) ?? 'null')
}

const finalText = 0x81

/** A complete text message of a server (RFC 6455, 5.2): not masked, not fragmented. */
export function textMessage(text: Buffer): Buffer {
  return Buffer.concat([textHeader(text.length), text])
}

/** The header of a text message of this size. */
export function textHeader(length: number): Buffer {
  if (length < 126) return Buffer.from([finalText, length])
  if (length < 0x1_0000) return Buffer.from([finalText, 126, length >>> 8, length & 0xff])
  const header = Buffer.alloc(10)
  header[0] = finalText
  header[1] = 127
  header.writeBigUInt64BE(BigInt(length), 2)
  return header
}
