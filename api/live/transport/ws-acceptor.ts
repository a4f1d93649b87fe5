import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import type { CloseReason } from '../../../schema/requests/live.ts'
import { every } from '../../../shared/async/every.ts'
import type { Connection, Receiver } from '../outbox/connection.ts'
import type { Outgoing } from '../outbox/frame.ts'
import { maxMessageBytes } from '../limits/message-limits.ts'
import type { ConnectionAdmission, ConnectionPermit } from '../limits/connection-admission.ts'
import type { ClientAddresses } from './client-address.ts'
import { bytesOf, textOf } from './message-text.ts'
import { closeCodes, heartbeatMs, highWaterBytes, readPlainMessage } from './plain.ts'
import { rejectUpgrade } from './server.ts'

export interface WsAcceptorOptions extends Pick<ServerOptions, 'handleProtocols'> {
  readonly admission: Pick<ConnectionAdmission, 'admit'>
  readonly addresses: ClientAddresses
  readonly messageBytes: number
  /** Time that a client has to reply to a close frame; default: that of `ws`. */
  readonly closeTimeout?: number
}

/** Creates the session of a connection; null: there is none, and the connection is being closed. */
type Connect = (connection: WsConnection, permit: ConnectionPermit) => Receiver | null

/** Time that clients have to disconnect after their close frames. */
const disconnectWithinMs = 1_000

/** Accepts WebSockets with `ws`, within the limits of connections. */
export class WsAcceptor {
  readonly #admission: WsAcceptorOptions['admission']
  readonly #addresses: ClientAddresses
  readonly #server: WebSocketServer
  /** Clients that have replied to the last ping. */
  readonly #alive = new WeakSet<WebSocket>()
  readonly #stopPings: () => void
  #isAccepting = true

  constructor({ admission, addresses, messageBytes, ...options }: WsAcceptorOptions) {
    this.#admission = admission
    this.#addresses = addresses
    this.#server = new BoundedServer({ ...options, noServer: true, maxPayload: messageBytes, perMessageDeflate: false })
    this.#stopPings = every(heartbeatMs, () => this.#ping())
  }

  get isAccepting(): boolean {
    return this.#isAccepting
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, connect: Connect): void {
    const permit = this.#isAccepting ? this.#admission.admit(this.#addresses.ofRequest(request)) : null
    if (permit === null) return rejectUpgrade(socket, '503 Service Unavailable')
    // The socket may close before it becomes a WebSocket.
    socket.once('close', () => permit.end())
    this.#server.handleUpgrade(request, socket, head, webSocket => {
      this.#alive.add(webSocket)
      webSocket.on('pong', () => this.#alive.add(webSocket))
      webSocket.on('error', () => undefined)
      const receiver = connect(new WsConnection(webSocket, socket), permit)
      if (receiver) passMessages(webSocket, socket, receiver)
    })
  }

  /** Accepts no new connections; existing ones stay open. */
  stopAccepting(): void {
    this.#isAccepting = false
  }

  /** Waits for clients to disconnect after their close frames, then disconnects the remaining ones. */
  async close(): Promise<void> {
    this.#isAccepting = false
    this.#stopPings()
    const { clients } = this.#server
    const untilMs = performance.now() + disconnectWithinMs
    while (clients.size > 0 && performance.now() < untilMs) await sleep(20)
    for (const webSocket of clients) webSocket.terminate()
  }

  /** Pings every client; disconnects those that have not replied to the previous ping. */
  #ping(): void {
    for (const webSocket of this.#server.clients) {
      if (!this.#alive.delete(webSocket)) webSocket.terminate()
      else webSocket.ping()
    }
  }
}

/**
 * A WebSocket server that limits the fragments of a message. Each fragment is kept until the message is complete, with
 * the memory of its network chunk.
 */
export class BoundedServer extends WebSocketServer {
  constructor({ maxPayload = maxMessageBytes, ...options }: ServerOptions) {
    super({
      ...options,
      maxPayload,
      maxFragments: Math.max(16, Math.ceil(maxPayload / 16_384)),
      maxBufferedChunks: Math.max(1_024, Math.ceil(maxPayload / 256)),
    })
  }
}

/** One client's WebSocket. */
export class WsConnection implements Connection<Outgoing> {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket
    this.#socket = socket
  }

  /** The negotiated subprotocol; empty: none. */
  get protocol(): string {
    return this.#webSocket.protocol
  }

  /** Writes encoded messages directly to the socket: framed once for all subscribers, and several in one system call. */
  write(frames: readonly Outgoing[]): boolean {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return true
    this.#socket.cork()
    for (const frame of frames) frame.write(this.#socket)
    this.#socket.uncork()
    return this.#socket.writableLength < highWaterBytes
  }

  close(reason: CloseReason): void {
    this.end(closeCodes[reason], reason)
  }

  /** Closes the WebSocket with a code. */
  end(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
  }
}

function passMessages(webSocket: WebSocket, socket: Duplex, receiver: Receiver): void {
  webSocket.on('message', data =>
    receiver.receive({ bytes: bytesOf(data), text: () => textOf(data), read: readPlainMessage }),
  )
  for (const control of ['ping', 'pong'] as const)
    webSocket.on(control, (data: Buffer) => receiver.control(data.length))
  webSocket.on('close', () => receiver.closed())
  socket.on('drain', () => receiver.onDrain())
}
