import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode } from 'graphql-ws'
import { type RawData, WebSocketServer, type WebSocket } from 'ws'
import type { Records } from '../../../processors/records/records.ts'
import { graphqlPaths } from '../../../schema/requests/graphql.ts'
import { Shares } from '../../../shared/shares.ts'
import { AccessWatch } from '../../live/sessions/access-watch.ts'
import type { Seat } from '../../live/sessions/admission.ts'
import { FlushScheduler } from '../../live/flush-scheduler.ts'
import type { Live } from '../../live/sessions/live.ts'
import { type BufferLimits, Subscriber } from '../../live/subscriber.ts'
import { beat } from '../../live/transport/beat.ts'
import { ClientAddresses } from '../../live/transport/client-address.ts'
import { closeCodes, fragmentBounds, heartbeatMs, plainPath } from '../../live/transport/plain.ts'
import { refuseUpgrade } from '../../live/transport/server.ts'
import { protocolAmong } from './protocol.ts'
import { SocketConnection } from './socket-connection.ts'
import { ResultFrames, type SocketFrame } from './socket-frame.ts'
import { SocketSession, type SocketSessionDeps } from './socket-session.ts'

export interface SocketServerDeps extends Omit<SocketSessionDeps, 'accessChanges' | 'frames' | 'waiting'> {
  /** Gives connections their places, together with those of the live channels. */
  readonly live: Pick<Live, 'admit'>
  readonly records: Pick<Records, 'onChange'>
  /** Bounds of what may wait for one connection. */
  readonly buffer: BufferLimits
  /** Bytes of messages that may wait for checks of tokens. */
  readonly waitingBytes: number
  readonly trustedProxies: readonly string[]
}

/** Takes WebSockets at the paths of GraphQL. */
export interface SocketServer {
  /** Whether the address is one of GraphQL. */
  takes(url: string | undefined): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Connections that are open. */
  readonly connections: number
  /** Operations that are not over. */
  readonly operations: number
  /** Takes no new connections; those that are there stay. */
  stopAccepting(): void
  close(): Promise<void>
}

const paceEveryMs = 1_000
/** Clients of the older protocol take a connection for dead that is silent for 30 s. */
const keepAliveEveryMs = 10_000
/** After the close frames, clients have so long to go. */
const goneWithinMs = 1_000

export function createSocketServer(deps: SocketServerDeps): SocketServer {
  const { live, records, buffer, waitingBytes, bounds, logger } = deps
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: bounds.bytes,
    perMessageDeflate: false,
    ...fragmentBounds(bounds.bytes),
    handleProtocols: offered => protocolAmong(offered)?.name ?? false,
  })
  const sessions = new Set<SocketSession>()
  const scheduler = new FlushScheduler()
  const addresses = new ClientAddresses(deps.trustedProxies)
  const access = new AccessWatch({ records, holders: sessions, logger })
  const waiting = new Shares({ room: waitingBytes })
  const sessionDeps = { ...deps, waiting, frames: new ResultFrames(), accessChanges: () => access.changes }
  const alive = new WeakSet<WebSocket>()
  let isAccepting = true
  const timers = [
    every(heartbeatMs, () => beat(server, alive)),
    every(paceEveryMs, () => {
      const nowMs = performance.now()
      for (const { subscriber } of sessions) subscriber.checkPace(nowMs)
    }),
    every(keepAliveEveryMs, () => {
      for (const session of sessions) session.keepAlive()
    }),
  ]

  /** Begins the session of an opened WebSocket; null where it speaks no protocol of ours. */
  const begin = (
    { webSocket, socket, connection }: Opened,
    authorization: string | undefined,
    seat: Seat,
  ): SocketSession | null => {
    webSocket.on('error', () => undefined)
    const protocol = protocolAmong(new Set([webSocket.protocol]))
    if (!protocol) {
      connection.end(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
      return null
    }
    const subscriber = new Subscriber<SocketFrame>(
      {
        write(frames) {
          const startedMs = performance.now()
          const hasRoom = connection.write(frames)
          session.charge(performance.now() - startedMs)
          return hasRoom
        },
        close: reason => connection.close(reason),
      },
      scheduler,
      buffer,
    )
    const session = new SocketSession({ protocol, seat, connection, subscriber, authorization }, sessionDeps)
    sessions.add(session)
    webSocket.on('message', data => session.receive(bytesOf(data), () => textOf(data)))
    for (const control of ['ping', 'pong'] as const) webSocket.on(control, ({ length }) => session.count(length))
    webSocket.on('close', () => {
      sessions.delete(session)
      session.closed()
    })
    socket.on('drain', () => subscriber.roomAgain())
    return session
  }

  return {
    takes: (url = '') => graphqlPaths.some(path => path === plainPath(url)),
    upgrade(request, socket, head) {
      let session: SocketSession | null = null
      let connection: SocketConnection | null = null
      const seat = isAccepting
        ? live.admit(addresses.ofRequest(request), reason => {
            if (session) session.end(reason)
            else if (connection) connection.end(closeCodes[reason], reason)
            else socket.destroy()
          })
        : null
      if (seat === null) return refuseUpgrade(socket, '503 Service Unavailable')
      // It may be turned down as no WebSocket.
      socket.once('close', () => seat.end())
      server.handleUpgrade(request, socket, head, webSocket => {
        alive.add(webSocket)
        webSocket.on('pong', () => alive.add(webSocket))
        connection = new SocketConnection(webSocket, socket)
        session = begin({ webSocket, socket, connection }, request.headers.authorization, seat)
      })
    },
    get connections() {
      return sessions.size
    },
    get operations() {
      return [...sessions].reduce((sum, { operations }) => sum + operations, 0)
    },
    stopAccepting: () => (isAccepting = false),
    async close() {
      isAccepting = false
      for (const timer of timers) clearInterval(timer)
      access.stop()
      for (const session of sessions) session.end('going_away')
      await seeOff(server.clients)
    },
  }
}

/** A WebSocket with its connection. */
interface Opened {
  readonly webSocket: WebSocket
  readonly socket: Duplex
  readonly connection: SocketConnection
}

/** Waits a while for clients that were told to go, and cuts off those that stay. */
async function seeOff(clients: ReadonlySet<WebSocket>): Promise<void> {
  const untilMs = performance.now() + goneWithinMs
  while (clients.size > 0 && performance.now() < untilMs) await new Promise(resolve => setTimeout(resolve, 20))
  for (const webSocket of clients) webSocket.terminate()
}

function every(ms: number, run: () => void): NodeJS.Timeout {
  return setInterval(run, ms).unref()
}

function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString()
}
