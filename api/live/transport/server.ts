import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { plainPath } from './plain.ts'

export type Engine = 'uws' | 'ws'

/** A server that carries the channels. */
export interface LiveServer {
  readonly engine: Engine
  /** Its own port; null: it has none, the HTTP service hands everything on. */
  readonly port: number | null
  /** Takes a request of the channels that came to the HTTP service; false: it is no request of theirs. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Takes no new connections; those that are there stay. */
  stopAccepting(): void
  close(): Promise<void>
}

const socketIoPath = '/socket.io'

/** Hands the channels' requests to them and all others to `rest`. */
export function withLive(server: Pick<LiveServer, 'request'>, rest: RequestListener): RequestListener {
  return (request, response) => {
    if (!server.request(request, response)) rest(request, response)
  }
}

export function isSocketIo(url = ''): boolean {
  const path = plainPath(url)
  return path === socketIoPath || path.startsWith(`${socketIoPath}/`)
}

/** Rewrites the path of an address as the transports expect it, however many slashes the client wrote. */
export function normalUrl(url: string): string {
  const at = url.indexOf('?')
  const query = at < 0 ? '' : url.slice(at)
  return `${isSocketIo(url) ? `${socketIoPath}/` : plainPath(url)}${query}`
}

/** Turns an upgrade down. */
export function refuseUpgrade(socket: Duplex, status: '404 Not Found' | '503 Service Unavailable'): void {
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
