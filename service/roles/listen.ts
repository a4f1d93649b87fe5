import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorCodeOf, StartError } from '../start-error.ts'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface Listening {
  readonly url: string
  /** Takes no new request; resolves when those under way are answered, or cut off after a while. */
  close(): Promise<void>
  /** Frees the port and cuts off every connection, now. */
  drop(): void
}

const finishWithinMs = 2_000

export interface ListenOptions {
  /** 0: any free one. */
  readonly port: number
  readonly host: string
  /** Limit of a request's first line and headers. */
  readonly headerBytes: number
  /** Headers that are handed to the handler, and one more, so that it can refuse a request with too many. */
  readonly headers: number
  /** How long headers, a whole request, and the next one on an idle connection may take to come. */
  readonly headersMs: number
  readonly requestMs: number
  readonly idleMs: number
  /** At once. */
  readonly connections: number
}

/** Listens on a port; rejects with a `StartError` where it can't. */
export async function listen(
  handler: RequestListener,
  { port, host, ...bounds }: ListenOptions,
  upgrade?: UpgradeListener,
): Promise<Listening> {
  const { headersMs, requestMs, idleMs } = bounds
  const times = {
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 1_000,
  }
  const server = createServer({ maxHeaderSize: bounds.headerBytes, ...times }, handler)
  server.maxHeadersCount = bounds.headers + 1
  server.maxConnections = bounds.connections
  if (upgrade) server.on('upgrade', upgrade)
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

function listenError(error: Error, port: number, host: string): Error {
  const told = (what: string, mend: string) => new StartError(`${what}.\nWhat to do: ${mend}.`, { cause: error })
  switch (errorCodeOf(error) ?? '') {
    case 'EADDRINUSE':
      return told(
        `Port ${port} on ${host} is in use: another Takt, or another program, listens there`,
        `stop that program; or choose another port, e.g. TAKT_PORT=${port + 1}; TAKT_PORT=0 takes any free one`,
      )
    case 'EACCES':
      return told(
        `Port ${port} on ${host} can't be listened on: the user of this process has no right to`,
        'choose a port above 1023 in TAKT_PORT, or give the process that right',
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return told(
        `This machine has no address ${host}`,
        'name one of its addresses in TAKT_HOST; 127.0.0.1 for this machine alone, 0.0.0.0 for all',
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
