import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { plainPath } from './plain.ts'

export type Engine = 'uws' | 'ws'

/** A server for the channels. */
export interface LiveServer {
  readonly engine: Engine
  /** Package of the engine and its version. */
  readonly source: string
  /** Its own port; null: none, the HTTP service passes everything on. */
  readonly port: number | null
  /**
   * Handles a request of the channels that the HTTP service has received; false: it belongs to another part of the
   * service.
   */
  request(request: IncomingMessage, response: ServerResponse): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Accepts no new connections; existing ones stay open. */
  stopAccepting(): void
  close(): Promise<void>
}

const socketIoPath = '/socket.io'

/** Passes the channels' requests to their server and all other ones to `rest`. */
export function withLive(server: Pick<LiveServer, 'request'>, rest: RequestListener): RequestListener {
  return (request, response) => {
    if (!server.request(request, response)) rest(request, response)
  }
}

export function isSocketIo(url = ''): boolean {
  const path = plainPath(url)
  return path === socketIoPath || path.startsWith(`${socketIoPath}/`)
}

/** Normalizes the path of a URL for the transports, whatever slashes the client wrote. */
export function normalUrl(url: string): string {
  const at = url.indexOf('?')
  const query = at < 0 ? '' : url.slice(at)
  return `${isSocketIo(url) ? `${socketIoPath}/` : plainPath(url)}${query}`
}

const rejections = {
  '400 Bad Request': ['BadRequest', 'The WebSocket handshake is incomplete: see RFC 6455, section 4.2.1'],
  '404 Not Found': ['NotFound', 'Not Found'],
  '426 Upgrade Required': ['UpgradeRequired', 'The WebSocket version must be 13'],
  '502 Bad Gateway': ['Unavailable', 'The live channels are unavailable. Retry later.'],
  '503 Service Unavailable': ['Unavailable', 'The limit of connections is reached. Retry later.'],
} as const

export type UpgradeRejection = keyof typeof rejections

/** Rejects an upgrade with a JSON response, and closes the connection. */
export function rejectUpgrade(socket: Duplex, status: UpgradeRejection): void {
  const [code, message] = rejections[status]
  writeRefusal(socket, {
    status,
    code,
    message,
    headers: status.startsWith('426') ? ['Sec-WebSocket-Version: 13'] : [],
  })
}

interface Refusal {
  /** Status code and reason phrase. */
  readonly status: string
  readonly code: string
  readonly message: string
  readonly headers?: readonly string[]
}

/** Writes a complete response with a JSON error to a connection, and closes it. */
export function writeRefusal(socket: Duplex, { status, code, message, headers = [] }: Refusal): void {
  const body = JSON.stringify({ code, message, errors: [] })
  const all = [
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  socket.on('error', () => undefined)
  // A client that does not close its side would otherwise keep the connection open forever.
  socket.once('finish', () => socket.destroy())
  socket.end([`HTTP/1.1 ${status}`, ...all, '', body].join('\r\n'))
}
