import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Duplex } from 'node:stream'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface Listening {
  readonly url: string
  /** Takes no new request; resolves when those under way are answered, or cut off after a while. */
  close(): Promise<void>
}

const finishWithinMs = 2_000

/** Listens on a port (0: any free one); rejects where it can't. */
export async function listen(
  handler: RequestListener,
  port: number,
  host: string,
  upgrade?: UpgradeListener,
): Promise<Listening> {
  const server = createServer(handler)
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
