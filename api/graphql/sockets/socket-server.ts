import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { graphqlPaths } from '../../../schema/requests/graphql.ts'
import type { Live } from '../../live/sessions/live.ts'
import { beat } from '../../live/transport/beat.ts'
import { ClientAddresses } from '../../live/transport/client-address.ts'
import { closeCodes, fragmentBounds, heartbeatMs, plainPath } from '../../live/transport/plain.ts'
import { refuseUpgrade } from '../../live/transport/server.ts'
import { OpenSessions, type OpenSessionsDeps } from './open-sessions.ts'
import { protocolAmong } from './protocol.ts'
import { SocketConnection } from './socket-connection.ts'
import type { SocketSession } from './socket-session.ts'

export interface SocketServerDeps extends OpenSessionsDeps {
  /** Admits connections within the limits that they share with the live channels. */
  readonly live: Pick<Live, 'admit'>
  readonly trustedProxies: readonly string[]
}

/** Accepts WebSockets at the paths of GraphQL. */
export interface SocketServer {
  /** Whether the URL is one of GraphQL. */
  takes(url: string | undefined): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Number of open connections. */
  readonly connections: number
  /** Number of operations in progress. */
  readonly operations: number
  /** Accepts no new connections; existing ones stay open. */
  stopAccepting(): void
  close(): Promise<void>
}

/** Time that clients have to disconnect after the close frames. */
const goneWithinMs = 1_000

export function createSocketServer(deps: SocketServerDeps): SocketServer {
  const { live, bounds } = deps
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: bounds.bytes,
    perMessageDeflate: false,
    ...fragmentBounds(bounds.bytes),
    handleProtocols: offered => protocolAmong(offered)?.name ?? false,
  })
  const sessions = new OpenSessions(deps)
  const addresses = new ClientAddresses(deps.trustedProxies)
  const alive = new WeakSet<WebSocket>()
  let isAccepting = true
  const heartbeat = setInterval(() => beat(server, alive), heartbeatMs).unref()

  return {
    takes: (url = '') => graphqlPaths.some(path => path === plainPath(url)),
    upgrade(request, socket, head) {
      let session: SocketSession | null = null
      let connection: SocketConnection | null = null
      const permit = isAccepting
        ? live.admit(addresses.ofRequest(request), reason => {
            if (session) session.end(reason)
            else if (connection) connection.end(closeCodes[reason], reason)
            else socket.destroy()
          })
        : null
      if (permit === null) return refuseUpgrade(socket, '503 Service Unavailable')
      // The socket may close before it becomes a WebSocket.
      socket.once('close', () => permit.end())
      server.handleUpgrade(request, socket, head, webSocket => {
        alive.add(webSocket)
        webSocket.on('pong', () => alive.add(webSocket))
        connection = new SocketConnection(webSocket, socket)
        session = sessions.begin({ webSocket, socket, connection }, request.headers.authorization, permit)
      })
    },
    get connections() {
      return sessions.size
    },
    get operations() {
      return sessions.operations
    },
    stopAccepting: () => (isAccepting = false),
    async close() {
      isAccepting = false
      clearInterval(heartbeat)
      sessions.close()
      await seeOff(server.clients)
    },
  }
}

/** Waits for clients to disconnect after their close frames, then disconnects the remaining ones. */
async function seeOff(clients: ReadonlySet<WebSocket>): Promise<void> {
  const untilMs = performance.now() + goneWithinMs
  while (clients.size > 0 && performance.now() < untilMs) await new Promise(resolve => setTimeout(resolve, 20))
  for (const webSocket of clients) webSocket.terminate()
}
