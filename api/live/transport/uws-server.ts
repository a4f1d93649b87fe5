import { Server as SocketIo } from 'socket.io'
import type { Channel, CloseReason } from '../../../schema/requests/live.ts'
import type { ConnectionPermit } from '../limits/connection-admission.ts'
import type { Connection, RawMessage, Receiver } from '../outbox/connection.ts'
import type { Frame } from '../outbox/frame.ts'
import type { Live } from '../sessions/live.ts'
import { maxMessageBytes } from '../limits/message-limits.ts'
import { ClientAddresses } from './client-address.ts'
import { textOf } from './message-text.ts'
import type { LoadedUws } from './load-uws.ts'
import { passThrough } from './pass-through.ts'
import { findChannel, closeCodes, heartbeatMs, highWaterBytes, readPlainMessage } from './plain.ts'
import { checkPollingBodies, collectUwsBody } from './polling-bodies.ts'
import type { LiveServer } from './server.ts'
import {
  allowRequest,
  type Gatekeeper,
  admitConnections,
  serveChannels,
  socketIoOptions,
  type SocketIoSettings,
} from './socket-io.ts'
import type { ListenSocket, Uws, UwsApp, UwsBehavior, UwsRequest, UwsResponse, UwsSocket } from './uws.ts'

export interface UwsServerSettings extends SocketIoSettings {
  readonly host: string
  /** 0: any free port; null: none, the HTTP service passes all requests on. */
  readonly port: number | null
}

/** Data of a socket in uWebSockets. */
interface Client {
  receiver: Receiver | null
  readonly channel: Channel
  readonly permit: ConnectionPermit
  /** Whether it is closed: then the socket must not be used. */
  isClosed: boolean
}

/**
 * Maximum bytes that uWebSockets buffers for a client beyond those that this service counts; a client above it is
 * disconnected.
 */
const maxBackpressureBytes = 64 * 1024 * 1024
const loopback = '127.0.0.1'

/** Serves the channels on a separate port with uWebSockets; the HTTP service proxies upgrades to it. */
export async function createUwsServer(
  { uws, source }: LoadedUws,
  live: Live,
  settings: UwsServerSettings,
): Promise<LiveServer> {
  let isAccepting = true
  const addresses = new ClientAddresses(settings.trustedProxies)
  const gatekeeper = { live, addresses, isAccepting: () => isAccepting }
  const app = uws.App()
  app.ws('/*', behavior(uws, gatekeeper))
  const io = new SocketIo({
    ...socketIoOptions(settings),
    serveClient: false,
    allowRequest: allowRequest(gatekeeper),
  })
  io.attachApp(app, socketIoLimits(uws))
  checkPollingBodies(io.engine, collectUwsBody)
  admitConnections(io.engine, gatekeeper)
  serveChannels(io, live)
  app.any('/*', response => response.writeStatus('404 Not Found').end())
  const listening = await listen(app, settings.port === null ? loopback : settings.host, settings.port ?? 0)
  const port = uws.us_socket_local_port(listening)
  const target = { host: settings.port === null ? loopback : reachable(settings.host), port, addresses }
  const { request, upgrade } = passThrough(target, address => isAccepting && live.sessions.admission.hasRoom(address))
  let isListening = true
  const stopListening = () => {
    if (isListening) uws.us_listen_socket_close(listening)
    isListening = false
  }
  return {
    engine: 'uws',
    source,
    port: settings.port === null ? null : port,
    request,
    upgrade,
    stopAccepting() {
      isAccepting = false
      stopListening()
    },
    async close() {
      stopListening()
      await io.close()
      app.close()
    },
  }
}

function reachable(host: string): string {
  return host === '0.0.0.0' ? loopback : host === '::' ? '::1' : host
}

function listen(app: UwsApp, host: string, port: number): Promise<ListenSocket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, socket => {
      if (socket) resolve(socket)
      else reject(new Error(`Cannot listen on ${host}:${port} for the live channels`))
    })
  })
}

function limits({ DISABLED }: Uws) {
  return {
    compression: DISABLED,
    maxPayloadLength: maxMessageBytes,
    idleTimeout: (2 * heartbeatMs) / 1000,
    maxBackpressure: maxBackpressureBytes,
    closeOnBackpressureLimit: true,
  }
}

/** Engine.IO has its own heartbeat. */
function socketIoLimits(uws: Uws): object {
  return { ...limits(uws), idleTimeout: 0 }
}

function behavior(uws: Uws, gatekeeper: Gatekeeper): UwsBehavior<Client> {
  const { live } = gatekeeper
  return {
    ...limits(uws),
    upgrade(response, request, context) {
      const channel = findChannel(request.getUrl())
      const permit =
        channel && gatekeeper.isAccepting()
          ? live.sessions.admission.admit(addressOf(response, request, gatekeeper))
          : null
      if (channel === null || permit === null) {
        response.writeStatus(channel === null ? '404 Not Found' : '503 Service Unavailable').end()
        return
      }
      const header = (name: string) => request.getHeader(`sec-websocket-${name}`)
      const client: Client = { receiver: null, isClosed: false, channel, permit }
      response.upgrade(client, header('key'), header('protocol'), header('extensions'), context)
    },
    open: socket => {
      const client = socket.getUserData()
      client.receiver = live.connect(client.channel, client.permit, new UwsConnection(socket))
    },
    message: (socket, message) => socket.getUserData().receiver?.receive(messageOf(message)),
    ping: (socket, { byteLength }) => socket.getUserData().receiver?.control(byteLength),
    pong: (socket, { byteLength }) => socket.getUserData().receiver?.control(byteLength),
    drain: socket => {
      if (socket.getBufferedAmount() < highWaterBytes) socket.getUserData().receiver?.onDrain()
    },
    close: socket => {
      const client = socket.getUserData()
      client.isClosed = true
      client.receiver?.closed()
      client.permit.end()
    },
  }
}

function addressOf(response: UwsResponse, request: UwsRequest, { addresses }: Gatekeeper): string {
  const remoteAddress = Buffer.from(response.getRemoteAddressAsText()).toString()
  return addresses.of(remoteAddress, name => request.getHeader(name))
}

/** The bytes are valid only during the call. */
function messageOf(message: ArrayBuffer): RawMessage {
  return { bytes: message.byteLength, text: () => textOf(message), read: readPlainMessage }
}

class UwsConnection implements Connection {
  readonly #socket: UwsSocket<Client>
  readonly #client: Client

  constructor(socket: UwsSocket<Client>) {
    this.#socket = socket
    this.#client = socket.getUserData()
  }

  write(frames: readonly Frame[]): boolean {
    if (this.#client.isClosed) return true
    const [first, second] = frames
    if (first && !second) this.#send(first)
    else
      this.#socket.cork(() => {
        for (const frame of frames) this.#send(frame)
      })
    return this.#client.isClosed || this.#socket.getBufferedAmount() < highWaterBytes
  }

  close(reason: CloseReason): void {
    if (!this.#client.isClosed) this.#socket.end(closeCodes[reason], reason)
  }

  #send(frame: Frame): void {
    if (!this.#client.isClosed) this.#socket.send(frame.text, false, false)
  }
}
