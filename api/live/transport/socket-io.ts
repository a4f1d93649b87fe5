import type { Server, ServerOptions, Socket } from 'socket.io'
import { channelPath, channels, type CloseReason } from '../../../schema/api/live.ts'
import type { Connection } from '../connection.ts'
import type { Frame } from '../frame.ts'
import type { Live } from '../live.ts'
import { heartbeatMs, highWaterBytes, maxMessageBytes } from './plain.ts'

export interface SocketIoSettings {
  /** Origins that browsers may connect from; `*`: any. */
  readonly corsOrigins: '*' | readonly string[]
}

/** Version 4 of the protocol, and 3 for older clients; no compression, which costs memory on each connection. */
export function socketIoOptions({ corsOrigins }: SocketIoSettings): Partial<ServerOptions> {
  return {
    allowEIO3: true,
    transports: ['websocket', 'polling'],
    cors: { origin: corsOrigins === '*' ? '*' : [...corsOrigins] },
    maxHttpBufferSize: maxMessageBytes,
    pingInterval: heartbeatMs,
    pingTimeout: heartbeatMs,
    perMessageDeflate: false,
  }
}

/** Serves each channel as a namespace. */
export function serveChannels(io: Server, live: Live): void {
  for (const channel of channels) {
    io.of(channelPath + channel)
      .use((_socket, next) => next(live.isFull ? new Error('Too many connections') : undefined))
      .on('connection', (socket: Socket) => {
        const connection = new SocketIoConnection(socket, () => receiver.roomAgain())
        const receiver = live.connect(channel, connection)
        socket.onAny((event: string, ...args: readonly unknown[]) => {
          const reply = args.at(-1)
          receiver.receive(event, args[0], isReply(reply) ? reply : undefined)
        })
        socket.on('disconnect', () => {
          connection.stop()
          receiver.closed()
        })
      })
  }
}

function isReply(value: unknown): value is (outcome: unknown) => void {
  return typeof value === 'function'
}

/** How often a connection of uWebSockets without room is looked at: Engine.IO does not tell when there is some. */
const lookEveryMs = 10

class SocketIoConnection implements Connection {
  readonly #socket: Socket
  readonly #roomAgain: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(socket: Socket, roomAgain: () => void) {
    this.#socket = socket
    this.#roomAgain = roomAgain
  }

  /** Engine.IO takes one batch at a time, and tells when that has gone to the transport. */
  write(frames: readonly Frame[]): boolean {
    const { conn } = this.#socket
    const last = frames.length - 1
    let isTaken = false
    let isReturned = false
    frames.forEach((frame, index) => {
      const taken = () => {
        isTaken = true
        if (isReturned) this.#lookForRoom()
      }
      conn.write(frame.packet.slice(1), preEncoded(frame, conn.transport), index === last ? taken : undefined)
    })
    isReturned = true
    if (!isTaken) return false
    if (this.#waiting() < highWaterBytes) return true
    this.#lookForRoom()
    return false
  }

  close(reason: CloseReason): void {
    // Who is sent away with the connection comes back by itself; who may not come back is sent away from the namespace.
    if (reason === 'invalid_token' || reason === 'insufficient_scope') this.#socket.disconnect()
    // A reader that takes nothing is not waited for.
    else this.#socket.conn.close(reason === 'slow_reader')
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #lookForRoom(): void {
    clearTimeout(this.#timer)
    if (this.#waiting() < highWaterBytes) this.#roomAgain()
    else this.#timer = setTimeout(() => this.#lookForRoom(), lookEveryMs)
  }

  /** Bytes that uWebSockets keeps for the client; the other transports are waited for by Engine.IO. */
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

/** Options of Engine.IO that spare it the encoding: one for its transport over `ws`, one for that over uWebSockets. */
function preEncoded(
  frame: Frame,
  { name, ...transport }: { readonly name: string; readonly socket?: unknown },
): object {
  if (name !== 'websocket') return {}
  return isBuffering(transport.socket) ? { wsPreEncoded: frame.packet } : { wsPreEncodedFrame: [frame.packetWire] }
}
