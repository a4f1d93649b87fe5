import { channelPath, type Channel } from '../../schema/requests/live.ts'
import { textMessage } from './text-message.ts'

/** A message to one client. */
export interface Outgoing {
  /** Estimated bytes in a buffer. */
  readonly bytes: number
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
