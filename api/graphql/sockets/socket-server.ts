import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode } from 'graphql-ws'
import { graphqlPaths } from '../../../schema/requests/graphql.ts'
import { every } from '../../../shared/async/every.ts'
import type { Sessions } from '../../live/sessions/sessions.ts'
import { ClientAddresses } from '../../live/transport/client-address.ts'
import { plainPath } from '../../live/transport/plain.ts'
import { WsAcceptor } from '../../live/transport/ws-acceptor.ts'
import { protocolAmong } from './protocol.ts'
import { ResultFrames } from './socket-frame.ts'
import { SocketSession, type SocketSessionDeps } from './socket-session.ts'

export interface SocketServerDeps extends Omit<SocketSessionDeps, 'frames'> {
  /** All sessions of this process; they share their limits with those of the live channels. */
  readonly sessions: Sessions
  readonly trustedProxies: readonly string[]
}

/** Accepts WebSockets at the paths of GraphQL. */
export interface SocketServer {
  /** Whether the URL is one of GraphQL. */
  accepts(url: string | undefined): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  sessions(): readonly SocketSession[]
  /** Accepts no new connections; existing ones stay open. */
  stopAccepting(): void
  /** Disconnects the clients, whose sessions have been ended. */
  close(): Promise<void>
}

/** Clients of the older protocol close a connection that is silent for 30 s. */
const keepAliveEveryMs = 10_000

export function createSocketServer({ sessions, trustedProxies, ...options }: SocketServerDeps): SocketServer {
  const deps = { ...options, frames: new ResultFrames() }
  const acceptor = new WsAcceptor({
    admission: sessions.admission,
    addresses: new ClientAddresses(trustedProxies),
    messageBytes: deps.bounds.bytes,
    closeTimeout: 2_000,
    handleProtocols: offered => protocolAmong(offered)?.name ?? false,
  })
  const open = () => sessions.of(SocketSession)
  const stopKeepAlive = every(keepAliveEveryMs, () => {
    for (const session of open()) session.keepAlive()
  })
  return {
    accepts: (url = '') => graphqlPaths.some(path => path === plainPath(url)),
    upgrade(request, socket, head) {
      const { authorization } = request.headers
      acceptor.upgrade(request, socket, head, (connection, permit) => {
        const protocol = protocolAmong(new Set([connection.protocol]))
        if (protocol) return SocketSession.open({ protocol, connection, permit, authorization }, sessions, deps)
        connection.end(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
        return null
      })
    },
    sessions: open,
    stopAccepting: () => acceptor.stopAccepting(),
    async close() {
      stopKeepAlive()
      await acceptor.close()
    },
  }
}
