import { request as sendRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { findChannel } from './plain.ts'
import { type ClientAddresses, passedOnHeader } from './client-address.ts'
import { isSocketIo, normalUrl, rejectUpgrade, type LiveServer } from './server.ts'

interface Target {
  readonly host: string
  readonly port: number
  readonly addresses: ClientAddresses
}

/**
 * Proxies requests of the channels, and complete WebSocket handshakes, to the port of the channels. After the 101 it
 * passes bytes in both directions at the speed of their reader.
 */
export function passThrough(
  target: Target,
  hasRoom: (address: string) => boolean,
): Pick<LiveServer, 'request' | 'upgrade'> {
  return {
    request(request, response) {
      if (!isSocketIo(request.url)) return false
      forward(target, request, response)
      return true
    },
    upgrade(request, socket, head) {
      const { url = '' } = request
      if (findChannel(url) === null && !isSocketIo(url)) rejectUpgrade(socket, '404 Not Found')
      else if (hasRoom(target.addresses.ofRequest(request))) forwardHandshake(target, request, { socket, head })
      else rejectUpgrade(socket, '503 Service Unavailable')
    },
  }
}

/** Opens a new connection for each request: the channels' server may close an idle one when it is used again. */
function forward(target: Target, request: IncomingMessage, response: ServerResponse): void {
  const { headers, ...options } = onwardOptions(target, request, 'close')
  const onward = sendRequest({ ...options, headers: withoutHandshake(headers), method: request.method })
  onward.on('response', received => {
    response.writeHead(received.statusCode ?? 502, endToEnd(received.headers))
    received.pipe(response)
  })
  onward.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end()
  })
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

interface Offer {
  readonly socket: Duplex
  /** Bytes that the client has sent after its handshake. */
  readonly head: Buffer
}

/**
 * Sends bytes of the client only after the channels' server has accepted the handshake: before, they could be
 * interpreted as further requests.
 */
function forwardHandshake(target: Target, request: IncomingMessage, { socket, head }: Offer): void {
  const options = onwardOptions(target, request, 'Upgrade')
  const onward = sendRequest({ ...options, headers: { ...options.headers, upgrade: 'websocket' } })
  let isRejected = false
  const reject = () => {
    isRejected = true
    onward.destroy()
    rejectUpgrade(socket, '502 Bad Gateway')
  }
  onward.on('error', () => {
    if (!isRejected) reject()
  })
  onward.on('response', ({ statusCode }) => {
    if (statusCode !== 503 && statusCode !== 404) return reject()
    isRejected = true
    onward.destroy()
    rejectUpgrade(socket, statusCode === 503 ? '503 Service Unavailable' : '404 Not Found')
  })
  onward.on('upgrade', (received, upstream, first) => {
    upstream.setNoDelay(true)
    socket.write(headOf(received))
    socket.write(first)
    upstream.write(head)
    join(socket, upstream)
  })
  socket.on('error', () => undefined)
  socket.on('close', () => onward.destroy())
  onward.end()
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
    from.pipe(to)
  }
}

function onwardOptions({ host, port, addresses }: Target, request: IncomingMessage, connection: 'close' | 'Upgrade') {
  const passedOn = addresses.passOn(addresses.ofRequest(request))
  return {
    host,
    port,
    path: normalUrl(request.url ?? ''),
    headers: { ...endToEnd(request.headers), connection, [passedOnHeader]: passedOn },
    agent: false,
  } as const
}

/**
 * Headers that apply to one connection only (RFC 9110, section 7.6.1). `Transfer-Encoding` stays, because Node uses it
 * to frame the body. Headers that `Connection` names stay too: a client could otherwise remove `Content-Length`.
 */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))
}

/** uWebSockets treats any request with `Sec-WebSocket-Key` as a handshake. */
function withoutHandshake(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('sec-websocket-')))
}

/** The head of a 101 unchanged. */
function headOf({ statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${statusMessage}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
