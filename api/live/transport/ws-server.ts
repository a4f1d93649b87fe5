import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'
import { Server as EngineServer } from 'engine.io'
import { Server as SocketIo } from 'socket.io'
import type { Live } from '../sessions/live.ts'
import { maxMessageBytes } from '../limits/message-limits.ts'
import { ClientAddresses } from './client-address.ts'
import { findChannel } from './plain.ts'
import { checkPollingBodies, collectBody } from './polling-bodies.ts'
import { findPackage } from './installed-package.ts'
import { isSocketIo, rejectUpgrade, type LiveServer } from './server.ts'
import { allowRequest, admitConnections, serveChannels, socketIoOptions, type SocketIoSettings } from './socket-io.ts'
import { BoundedServer, WsAcceptor } from './ws-acceptor.ts'

/** Serves the channels on the HTTP service's own port, with `ws`. */
export function createWsServer(live: Live, settings: SocketIoSettings): LiveServer {
  const addresses = new ClientAddresses(settings.trustedProxies)
  const plain = new WsAcceptor({ admission: live.sessions.admission, addresses, messageBytes: maxMessageBytes })
  const gatekeeper = { live, addresses, isAccepting: () => plain.isAccepting }
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

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const channel = findChannel(request.url ?? '')
    if (channel !== null)
      plain.upgrade(request, socket, head, (connection, permit) => live.connect(channel, permit, connection))
    else if (!isSocketIo(request.url)) rejectUpgrade(socket, '404 Not Found')
    else if (plain.isAccepting) engine.handleUpgrade(request, socket, head)
    else rejectUpgrade(socket, '503 Service Unavailable')
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
    stopAccepting: () => plain.stopAccepting(),
    async close() {
      await plain.close()
      engine.close()
      await io.close()
    },
  }
}
