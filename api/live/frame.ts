import { channelPath, type Channel } from '../../schema/requests/live.ts'
import { textMessage } from './text-message.ts'

/** Something on its way to one client. */
export interface Outgoing {
  /** Bytes that it takes in a buffer, estimated. */
  readonly bytes: number
}

/**
 * One event on its way to any number of subscribers. It is put into the form of a transport once, when the first of them needs
 * it, and shared by all.
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

  /** Bytes that it takes in a buffer, estimated. */
  get bytes(): number {
    return this.json.length + 64
  }

  /** As a text message of a plain WebSocket. */
  get text(): Buffer {
    return (this.#text ??= Buffer.from(`{"event":"${this.event}","data":${this.json}}`))
  }

  /** `text` as a WebSocket's text message on the wire, with its header. */
  get wire(): Buffer {
    return (this.#wire ??= textMessage(this.text))
  }

  /** As an event packet of Socket.IO, behind the `4` of a message of Engine.IO. */
  get packet(): string {
    return (this.#packet ??= `42${channelPath}${this.channel},["${this.event}",${this.json}]`)
  }

  /** A message of Engine.IO for a client that writes the channel's path in another way. */
  packetFor(namespace: string): string {
    return `2${namespace},["${this.event}",${this.json}]`
  }

  /** `packet` as a WebSocket's text message on the wire, with its header. */
  get packetWire(): Buffer {
    return (this.#packetWire ??= textMessage(Buffer.from(this.packet)))
  }
}

/** An event for one subscriber alone. */
export function frameOf(channel: Channel, event: string, data: unknown): Frame {
  return new Frame(channel, event, JSON.stringify(data) ?? 'null')
}
