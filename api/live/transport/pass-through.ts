import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { channelOf } from './plain.ts'
import { isSocketIo, refuseUpgrade, type LiveServer } from './server.ts'

interface Target {
  readonly host: string
  readonly port: number
}

/** Passes the channels' requests and upgrades on to their own port, byte by byte: a reader's slowness goes all the way. */
export function passThrough(target: Target, takes: () => boolean): Pick<LiveServer, 'request' | 'upgrade'> {
  return {
    request(request, response) {
      if (!isSocketIo(request.url)) return false
      forward(target, request, response)
      return true
    },
    upgrade(request, socket, head) {
      const { url = '' } = request
      if (channelOf(url) === null && !isSocketIo(url)) refuseUpgrade(socket, '404 Not Found')
      else if (takes()) pipe(target, request, socket, head)
      else refuseUpgrade(socket, '503 Service Unavailable')
    },
  }
}

/** Over a connection of its own: one that is kept may be closed at the other end at the very moment it is used again. */
function forward({ host, port }: Target, request: IncomingMessage, response: ServerResponse): void {
  const { method, url: path } = request
  const headers = { ...request.headers, connection: 'close' }
  const onward = ask({ host, port, method, path, headers, agent: false }, answer => {
    const { connection: _, ...answered } = answer.headers
    response.writeHead(answer.statusCode ?? 502, answered)
    answer.pipe(response)
  })
  onward.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end()
  })
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

function pipe(target: Target, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const onward = connect(target)
  onward.setNoDelay(true)
  onward.write(headOf(request))
  onward.write(head)
  for (const [from, to] of [
    [socket, onward],
    [onward, socket],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}

/** The request's head as it came. */
function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
