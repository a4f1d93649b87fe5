import { connect, createServer, type Server, type Socket } from 'node:net'

/** `refuse`: connections are refused; `busy`: every request receives 503; `silent`: requests are accepted and never receive a response. */
export type Outage = 'refuse' | 'busy' | 'silent'

/** A proxy in front of a server, with simulated outages. */
export interface OutageProxy {
  readonly port: number
  cut(outage: Outage): void
  /** Ends the outage; its connections are closed. */
  mend(): Promise<void>
  close(): void
}

/** Starts a proxy on its own port in front of the server. */
export async function outageProxy(target: { readonly host: string; readonly port: number }): Promise<OutageProxy> {
  let outage: Outage | null = null
  const sockets = new Set<Socket>()
  const take = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    if (outage === null) pass(socket, target)
    else if (outage === 'busy') socket.on('data', () => socket.end(busy))
    else if (outage === 'refuse') socket.destroy()
  }
  const breakOff = () => {
    for (const socket of sockets) socket.destroy()
  }
  let server = createServer(take)
  const port = await listen(server, 0)
  return {
    port,
    cut(next) {
      outage = next
      if (next === 'refuse') server.close()
      breakOff()
    },
    async mend() {
      if (outage === 'refuse') {
        server = createServer(take)
        await listen(server, port)
      }
      outage = null
      breakOff()
    },
    close() {
      server.close()
      breakOff()
    },
  }
}

const busy = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\nConnection: close\r\n\r\nbusy\n'

function pass(socket: Socket, target: { readonly host: string; readonly port: number }): void {
  const onward = connect(target)
  onward.on('error', () => socket.destroy())
  socket.on('close', () => onward.destroy())
  onward.on('close', () => socket.destroy())
  socket.pipe(onward).pipe(socket)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
