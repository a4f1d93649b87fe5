import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { channelOf } from './plain.ts'
import { type ClientAddresses, passedOnHeader } from './client-address.ts'
import { isSocketIo, normalUrl, refuseUpgrade, type LiveServer } from './server.ts'

interface Target {
  readonly host: string
  readonly port: number
  readonly addresses: ClientAddresses
}

/** Passes the channels' requests and upgrades on to their own port, byte by byte: a reader's slowness goes all the way. */
export function passThrough(
  target: Target,
  takes: (address: string) => boolean,
): Pick<LiveServer, 'request' | 'upgrade'> {
  return {
    request(request, response) {
      if (!isSocketIo(request.url)) return false
      forward(target, request, response)
      return true
    },
    upgrade(request, socket, head) {
      const { url = '' } = request
      if (channelOf(url) === null && !isSocketIo(url)) refuseUpgrade(socket, '404 Not Found')
      else if (takes(target.addresses.ofRequest(request))) pipe(target, request, socket, head)
      else refuseUpgrade(socket, '503 Service Unavailable')
    },
  }
}

/** Over a connection of its own: one that is kept may be closed at the other end at the very moment it is used again. */
function forward(target: Target, request: IncomingMessage, response: ServerResponse): void {
  const { host, port, addresses } = target
  const { method, url = '' } = request
  const path = normalUrl(url)
  const passedOn = addresses.passOn(addresses.ofRequest(request))
  const headers = { ...request.headers, connection: 'close', [passedOnHeader]: passedOn }
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
  const { host, port, addresses } = target
  const onward = connect({ host, port })
  onward.setNoDelay(true)
  onward.write(headOf(request, addresses.passOn(addresses.ofRequest(request))))
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

/** The request's head as it came, with the client's address. */
function headOf({ method, url = '', rawHeaders }: IncomingMessage, passedOn: string): string {
  const lines = [`${method} ${normalUrl(url)} HTTP/1.1`, `${passedOnHeader}: ${passedOn}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.toLowerCase() !== passedOnHeader) lines.push(`${name}: ${rawHeaders[i + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
