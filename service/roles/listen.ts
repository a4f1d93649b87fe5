import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface Listening {
  readonly url: string
  /** Takes no new request; resolves when those under way are answered, or cut off after a while. */
  close(): Promise<void>
}

const finishWithinMs = 2_000

export interface ListenOptions {
  /** 0: any free one. */
  readonly port: number
  readonly host: string
  /** Of a request's first line and headers. */
  readonly headerBytes: number
  /** Headers that are handed to the handler, and one more, so that it can refuse a request with too many. */
  readonly headers: number
}

/** Listens on a port; rejects where it can't. */
export async function listen(
  handler: RequestListener,
  { port, host, headerBytes, headers }: ListenOptions,
  upgrade?: UpgradeListener,
): Promise<Listening> {
  const server = createServer({ maxHeaderSize: headerBytes }, handler)
  server.maxHeadersCount = headers + 1
  if (upgrade) server.on('upgrade', upgrade)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, close: () => close(server) }
}

async function close(server: Server): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), finishWithinMs)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(cutOff)
}
