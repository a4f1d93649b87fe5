import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { findHandshakeProblem, offersWebSocket } from '../../api/live/transport/handshake.ts'
import { rejectUpgrade } from '../../api/live/transport/server.ts'
import { findErrorCode, StartError } from '../start-error.ts'
import { checkHead, findHeadProblem, rejectExpectation, rejectUnparsed } from './request-head.ts'
import { SerialRequests } from './serial-requests.ts'
import { UnsentResponses } from './unsent-responses.ts'

/** Handles requests for an upgrade to WebSocket. */
export interface Upgrades {
  /** Whether a URL accepts WebSockets; at other URLs, the request is handled as plain HTTP. */
  accepts(url: string): boolean
  /** Completes the handshake of a WebSocket at such a URL. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** An open port. */
export interface ListeningServer {
  readonly url: string
  /** Stops accepting requests; resolves when the requests in progress are complete, or after the time limit. */
  close(): Promise<void>
  /** Closes the port and all connections immediately. */
  drop(): void
}

const finishWithinMs = 2_000

/** Address and limits of a port. */
export interface ListenOptions {
  /** 0: any free port. */
  readonly port: number
  readonly host: string
  /** Limit of the bytes of a request's first line and headers. */
  readonly headerBytes: number
  /** Limit of headers of a request; the handler receives one more, so that it can reject the request. */
  readonly headers: number
  /** Limits of the time for headers, for a whole request, and for the next request on an idle connection. */
  readonly headersMs: number
  readonly requestMs: number
  readonly idleMs: number
  /** Limit of concurrent connections. */
  readonly connections: number
  /** Limit of the bytes of all responses that wait for their clients. */
  readonly unsentBytes: number
}

/** Listens on a port; rejects with a `StartError` if that fails. */
export async function listen(
  handler: RequestListener,
  { port, host, ...bounds }: ListenOptions,
  upgrades?: Upgrades,
): Promise<ListeningServer> {
  const { headersMs, requestMs, idleMs, unsentBytes } = bounds
  const times = {
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 1_000,
  }
  const unsent = new UnsentResponses({ unsentBytes, idleMs })
  const requests = new SerialRequests((request, response) => {
    unsent.watch(response, request.socket)
    checkHead(request, response, handler)
  })
  const server = createServer(
    // `checkHead` rejects a request without Host by a JSON response.
    { maxHeaderSize: bounds.headerBytes, ...times, requireHostHeader: false, IncomingMessage: requestClass(upgrades) },
    (request, response) => requests.add(request, response),
  )
  server.maxHeadersCount = bounds.headers + 1
  server.maxConnections = bounds.connections
  server.on('connect', (_request, socket) => rejectUpgrade(socket, '404 Not Found'))
  server.on('checkExpectation', rejectExpectation)
  server.on('clientError', (error, socket) => {
    if (!(socket instanceof Socket) || requests.isResponding(socket)) socket.destroy()
    else rejectUnparsed(error, socket)
  })
  if (upgrades)
    server.on('upgrade', (request, socket, head) => {
      const problem = findHeadProblem(request) === null ? findHandshakeProblem(request) : '400 Bad Request'
      // An earlier response that is still being written would follow the response to the handshake.
      if (socket instanceof Socket && requests.isHandling(socket)) socket.destroy()
      else if (problem !== null) rejectUpgrade(socket, problem)
      else upgrades.upgrade(request, socket, head)
    })
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(listenError(error, port, host)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () => close(server),
    drop: () => drop(server),
  }
}

/**
 * Creates the class of the server's requests. Node emits a request as an upgrade if its property `upgrade` is true, and
 * serves it as a normal request otherwise.
 */
function requestClass(upgrades: Upgrades | undefined): typeof IncomingMessage {
  /** Requests with any `Upgrade` header, and CONNECT requests. */
  const upgradeRequests = new WeakSet<IncomingMessage>()
  return class extends IncomingMessage {
    set upgrade(isOffered: boolean) {
      if (isOffered) upgradeRequests.add(this)
    }

    get upgrade(): boolean {
      if (!upgradeRequests.has(this)) return false
      return this.method === 'CONNECT' || (offersWebSocket(this) && upgrades?.accepts(this.url ?? '') === true)
    }
  }
}

function listenError(error: Error, port: number, host: string): Error {
  const startError = (what: string, remedy: string) =>
    new StartError(`${what}.\nWhat to do: ${remedy}.`, { cause: error })
  switch (findErrorCode(error) ?? '') {
    case 'EADDRINUSE':
      return startError(
        `Port ${port} on ${host} is in use: another Takt, or another program, listens on it`,
        `stop that program; or choose another port, e.g. TAKT_PORT=${port + 1}; TAKT_PORT=0 takes any free one`,
      )
    case 'EACCES':
      return startError(
        `Port ${port} on ${host} can't be listened on: the user of this process lacks the permission`,
        'choose a port above 1023 in TAKT_PORT, or give the process that permission',
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return startError(
        `This machine has no address ${host}`,
        'set TAKT_HOST to one of its addresses; 127.0.0.1 for this machine only, 0.0.0.0 for all',
      )
    default:
      return error
  }
}

async function close(server: Server): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), finishWithinMs)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(cutOff)
}

function drop(server: Server): void {
  server.close()
  server.closeAllConnections()
}
