import type { Server, ServerOptions, Socket } from 'socket.io'
import type { BaseServer as Engine, Socket as EngineSocket } from 'engine.io'
import { channelPath, channels, type Channel, type CloseReason } from '../../../schema/requests/live.ts'
import type { ConnectionPermit } from '../limits/connection-admission.ts'
import type { Connection, RawMessage } from '../outbox/connection.ts'
import type { Frame } from '../outbox/frame.ts'
import type { Live } from '../sessions/live.ts'
import { maxMessageBytes } from '../limits/message-limits.ts'
import type { ClientAddresses } from './client-address.ts'
import { heartbeatMs, highWaterBytes } from './plain.ts'
import { lazyParser, readSocketIo } from './socket-io-parser.ts'

export interface SocketIoSettings {
  /** Origins from which browsers may connect; `*`: any. */
  readonly corsOrigins: '*' | readonly string[]
  /** Proxies that are trusted to state the client's address, in the syntax of express. */
  readonly trustedProxies: readonly string[]
}

/** Protocol version 4, and 3 for older clients; without compression, which costs memory for each connection. */
export function socketIoOptions({ corsOrigins }: SocketIoSettings): Partial<ServerOptions> {
  return {
    allowEIO3: true,
    transports: ['websocket', 'polling'],
    cors: { origin: corsOrigins === '*' ? '*' : [...corsOrigins] },
    maxHttpBufferSize: maxMessageBytes,
    pingInterval: heartbeatMs,
    pingTimeout: heartbeatMs,
    perMessageDeflate: false,
    parser: lazyParser,
  }
}

/** Decides whether a connection is admitted. */
export interface Gatekeeper {
  readonly live: Live
  readonly addresses: ClientAddresses
  readonly isAccepting: () => boolean
}

/** Engine.IO's request, independent of the server. */
interface Handshake {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly connection?: { readonly remoteAddress?: string | undefined }
}

/** The option `allowRequest`, which Engine.IO calls before it opens a connection. */
export function allowRequest({ live, addresses, isAccepting }: Gatekeeper): NonNullable<ServerOptions['allowRequest']> {
  return (request, decide) => {
    const isWelcome = isAccepting() && live.sessions.admission.hasRoom(addressOf(request, addresses))
    decide(isWelcome ? null : 'Too many connections', isWelcome)
  }
}

function addressOf({ headers, connection }: Handshake, addresses: ClientAddresses): string {
  return addresses.of(connection?.remoteAddress ?? '', name => headers[name])
}

const permits = new WeakMap<object, ConnectionPermit>()

/** Admits every connection of Engine.IO, whether it joins a channel or not. */
export function admitConnections(engine: Engine, { live, addresses }: Gatekeeper): void {
  engine.on('connection', (connection: EngineSocket) => {
    const permit = live.sessions.admission.admit(addressOf(connection.request, addresses), () => connection.close())
    if (permit === null) {
      connection.close(true)
      return
    }
    permits.set(connection, permit)
    connection.on('close', () => permit.end())
  })
}

/** Serves each channel as a namespace, under each spelling of its path. */
export function serveChannels(io: Server, live: Live): void {
  for (const channel of channels)
    for (const namespace of spellings(channel))
      io.of(namespace)
        .use((socket, next) => {
          const permit = permits.get(socket.conn)
          next(
            permit && !permit.isOn(channel) ? undefined : new Error('The connection has joined this channel already'),
          )
        })
        .on('connection', (socket: Socket) => serveSocket(socket, channel, live))
}

function serveSocket(socket: Socket, channel: Channel, live: Live): void {
  const permit = permits.get(socket.conn)
  if (!permit || permit.isOn(channel)) {
    socket.disconnect()
    return
  }
  const connection = new SocketIoConnection(socket, () => receiver.onDrain())
  const receiver = live.connect(channel, permit, connection)
  socket.onAny((_event: string, json: unknown, reply: unknown) => {
    if (typeof json === 'string') receiver.receive(messageOf(json), isReply(reply) ? reply : undefined)
  })
  socket.on('disconnect', () => {
    connection.stop()
    receiver.closed()
  })
}

function messageOf(json: string): RawMessage {
  return { bytes: json.length, text: () => json, read: readSocketIo }
}

/** A base URL with a trailing slash doubles the slash; some clients add one at the end of the path. */
function spellings(channel: Channel): readonly string[] {
  const path = `${channelPath}${channel}`
  return [path, `/${path}`, `${path}/`, `/${path}/`]
}

function isReply(value: unknown): value is (outcome: unknown) => void {
  return typeof value === 'function'
}

/** Poll interval of a full connection of uWebSockets: Engine.IO does not report when it drains. */
const pollEveryMs = 10

class SocketIoConnection implements Connection {
  readonly #socket: Socket
  readonly #onDrain: () => void
  #timer: NodeJS.Timeout | undefined
  /** Whether the client writes the channel's path like the service, so that it can share packets with other clients. */
  readonly #isPlain: boolean

  constructor(socket: Socket, onDrain: () => void) {
    this.#socket = socket
    this.#onDrain = onDrain
    this.#isPlain = channels.some(channel => socket.nsp.name === channelPath + channel)
  }

  /** Engine.IO accepts one batch at a time, and reports when the transport has received it. */
  write(frames: readonly Frame[]): boolean {
    const { conn } = this.#socket
    const last = frames.length - 1
    let isReceived = false
    let isReturned = false
    frames.forEach((frame, index) => {
      const onReceived = () => {
        isReceived = true
        if (isReturned) this.#pollCapacity()
      }
      const done = index === last ? onReceived : undefined
      if (this.#isPlain) conn.write(frame.packet.slice(1), preEncoded(frame, conn.transport), done)
      else conn.write(frame.packetFor(this.#socket.nsp.name), {}, done)
    })
    isReturned = true
    if (!isReceived) return false
    if (this.#waiting() < highWaterBytes) return true
    this.#pollCapacity()
    return false
  }

  close(reason: CloseReason): void {
    // A client that is disconnected with its connection reconnects; a client that must not reconnect is disconnected
    // from the namespace.
    if (reason === 'invalid_token' || reason === 'insufficient_scope') this.#socket.disconnect()
    // The flood continues until the connection is closed.
    else if (reason === 'rate_limited') this.#socket.conn.close(true)
    // A blocked subscriber would not confirm the close.
    else this.#socket.conn.close(reason === 'slow_reader')
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #pollCapacity(): void {
    clearTimeout(this.#timer)
    if (this.#waiting() < highWaterBytes) this.#onDrain()
    else this.#timer = setTimeout(() => this.#pollCapacity(), pollEveryMs)
  }

  /** Unsent bytes of the client in uWebSockets; Engine.IO waits for the other transports itself. */
  #waiting(): number {
    const { transport } = this.#socket.conn
    const socket = 'socket' in transport ? transport.socket : null
    return isBuffering(socket) && this.#socket.connected ? socket.getBufferedAmount() : 0
  }
}

interface Buffering {
  getBufferedAmount(): number
}

function isBuffering(socket: unknown): socket is Buffering {
  return typeof socket === 'object' && socket !== null && 'getBufferedAmount' in socket
}

/** Options of Engine.IO that avoid its encoding: one for its transport over `ws`, one for that over uWebSockets. */
function preEncoded(
  frame: Frame,
  { name, ...transport }: { readonly name: string; readonly socket?: unknown },
): object {
  if (name !== 'websocket') return {}
  return isBuffering(transport.socket) ? { wsPreEncoded: frame.packet } : { wsPreEncodedFrame: [frame.packetWire] }
}
