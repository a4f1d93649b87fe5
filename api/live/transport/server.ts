import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export type Engine = 'uws' | 'ws'

/** What carries the channels. */
export interface LiveServer {
  readonly engine: Engine
  /** Its own port; null: it has none, the HTTP service hands everything on. */
  readonly port: number | null
  /** Takes what came to the HTTP service and is the channels'; false: it isn't. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** No new connections; those that are there stay. */
  stopAccepting(): void
  close(): Promise<void>
}

export const socketIoPath = '/socket.io/'

/** Hands the channels' requests to them and all others to `rest`. */
export function withLive(server: Pick<LiveServer, 'request'>, rest: RequestListener): RequestListener {
  return (request, response) => {
    if (!server.request(request, response)) rest(request, response)
  }
}

export function isSocketIo(url = ''): boolean {
  return url.startsWith(socketIoPath) || url.startsWith(`${socketIoPath.slice(0, -1)}?`)
}

/** Turns an upgrade down. */
export function refuseUpgrade(socket: Duplex, status: '404 Not Found' | '503 Service Unavailable'): void {
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
