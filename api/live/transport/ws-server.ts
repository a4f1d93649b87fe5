import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { Server as EngineServer } from 'engine.io'
import { Server as SocketIo } from 'socket.io'
import { type RawData, type ServerOptions, WebSocketServer, type WebSocket } from 'ws'
import type { CloseReason } from '../../../schema/requests/live.ts'
import type { Connection, RawMessage, Receiver } from '../connection.ts'
import type { Frame } from '../frame.ts'
import type { Live } from '../sessions/live.ts'
import { maxMessageBytes } from '../message-bounds.ts'
import { beat } from './beat.ts'
import { ClientAddresses } from './client-address.ts'
import { bytesOf, textOf } from './message-text.ts'
import { channelOf, closeCodes, fragmentBounds, heartbeatMs, highWaterBytes, readPlainMessage } from './plain.ts'
import { checkPollingBodies, collectBody } from './polling-bodies.ts'
import { findPackage } from './installed-package.ts'
import { isSocketIo, refuseUpgrade, type LiveServer } from './server.ts'
import { allowRequest, admitConnections, serveChannels, socketIoOptions, type SocketIoSettings } from './socket-io.ts'

/** Serves the channels on the HTTP service's own port, with `ws`. */
export function createWsServer(live: Live, settings: SocketIoSettings): LiveServer {
  const plain = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    ...fragmentBounds(maxMessageBytes),
  })
  let isAccepting = true
  const addresses = new ClientAddresses(settings.trustedProxies)
  const gatekeeper = { live, addresses, isAccepting: () => isAccepting }
  const engine = new EngineServer({
    ...socketIoOptions(settings),
    allowRequest: allowRequest(gatekeeper),
    wsEngine: BoundedServer,
  })
  checkPollingBodies(engine, collectBody)
  admitConnections(engine, gatekeeper)
  const io = new SocketIo({ ...socketIoOptions(settings), serveClient: false })
  io.bind(engine)
  serveChannels(io, live)
  const alive = new WeakSet<WebSocket>()
  const heartbeat = setInterval(() => beat(plain, alive), heartbeatMs)
  heartbeat.unref()

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const channel = channelOf(request.url ?? '')
    if (channel === null && !isSocketIo(request.url)) {
      refuseUpgrade(socket, '404 Not Found')
      return
    }
    if (channel === null) {
      if (isAccepting) engine.handleUpgrade(request, socket, head)
      else refuseUpgrade(socket, '503 Service Unavailable')
      return
    }
    const permit = isAccepting ? live.admit(addresses.ofRequest(request)) : null
    if (permit === null) {
      refuseUpgrade(socket, '503 Service Unavailable')
      return
    }
    // The socket may close before it becomes a WebSocket.
    socket.once('close', () => permit.end())
    plain.handleUpgrade(request, socket, head, webSocket => {
      alive.add(webSocket)
      webSocket.on('pong', () => alive.add(webSocket))
      serve(webSocket, socket, connection => live.connect(channel, permit, connection))
    })
  }

  return {
    engine: 'ws',
    source: findPackage('ws', createRequire(import.meta.url))?.source ?? 'ws',
    port: null,
    upgrade,
    request(request, response) {
      if (!isSocketIo(request.url)) return false
      engine.handleRequest(request, response)
      return true
    },
    stopAccepting: () => (isAccepting = false),
    async close() {
      clearInterval(heartbeat)
      for (const webSocket of plain.clients) webSocket.terminate()
      engine.close()
      await io.close()
    },
  }
}

/** The WebSocket server of Socket.IO, with limits. */
class BoundedServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, ...fragmentBounds(maxMessageBytes) })
  }
}

function serve(webSocket: WebSocket, socket: Duplex, connect: (connection: Connection) => Receiver): void {
  const receiver = connect({
    write: frames => write(webSocket, socket, frames),
    close: (reason: CloseReason) => webSocket.close(closeCodes[reason], reason),
  })
  webSocket.on('message', data => receiver.receive(messageOf(data)))
  for (const control of ['ping', 'pong'] as const)
    webSocket.on(control, (data: Buffer) => receiver.control(data.length))
  webSocket.on('close', () => receiver.closed())
  webSocket.on('error', () => undefined)
  socket.on('drain', () => receiver.roomAgain())
}

/** Writes encoded messages directly to the socket: framed once for all subscribers, and several in one system call. */
function write(webSocket: WebSocket, socket: Duplex, frames: readonly Frame[]): boolean {
  if (webSocket.readyState !== webSocket.OPEN) return true
  socket.cork()
  for (const frame of frames) socket.write(frame.wire)
  socket.uncork()
  return socket.writableLength < highWaterBytes
}

function messageOf(data: RawData): RawMessage {
  return { bytes: bytesOf(data), text: () => textOf(data), read: readPlainMessage }
}
