import { channelPath, type Channel } from '../../schema/requests/live.ts'
import { textMessage } from './text-message.ts'
import type { MachineRef } from '../../schema/refs.ts'

/**
 * One event on its way to any number of subscribers. It is put into the form of a transport once, when the first of them needs
 * it, and shared by all.
 */
export class Frame {
  readonly channel: Channel
  readonly event: string
  /** The event's data as JSON. */
  readonly json: string
  /** What it is about, for subscribers that leave a machine; null: no machine. */
  readonly machineRef: MachineRef | null
  #text: Buffer | null = null
  #wire: Buffer | null = null
  #packet: string | null = null
  #packetWire: Buffer | null = null

  constructor(channel: Channel, event: string, json: string, machineRef: MachineRef | null = null) {
    this.channel = channel
    this.event = event
    this.json = json
    this.machineRef = machineRef
  }

  /** About what it takes in a buffer. */
  get bytes(): number {
    return this.json.length + 64
  }

  /** As a text message of a plain WebSocket. */
  get text(): Buffer {
    return (this.#text ??= Buffer.from(`{"event":"${this.event}","data":${this.json}}`))
  }

  /** The same with the header that it has on the wire. */
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

  /** The same as a WebSocket's text message on the wire. */
  get packetWire(): Buffer {
    return (this.#packetWire ??= textMessage(Buffer.from(this.packet)))
  }
}

/** An event for one subscriber alone. */
export function frameOf(channel: Channel, event: string, data: unknown): Frame {
  return new Frame(channel, event, JSON.stringify(data) ?? 'null')
}
