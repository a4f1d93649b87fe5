import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket } from 'ws'
import { ConnectionAdmission } from '../../../../api/live/limits/connection-admission.ts'
import type { Connection } from '../../../../api/live/outbox/connection.ts'
import { frameOf } from '../../../../api/live/outbox/frame.ts'
import type { Live } from '../../../../api/live/sessions/live.ts'
import { type LoadedUws, loadUws } from '../../../../api/live/transport/load-uws.ts'
import type { LiveServer } from '../../../../api/live/transport/server.ts'
import { createUwsServer } from '../../../../api/live/transport/uws-server.ts'
import { channelPath } from '../../../../schema/requests/live.ts'
import { noteSkipped } from '../../../support/skipped.ts'

describe('server of the live channels with uWebSockets', () => {
  let loaded: LoadedUws
  let server: LiveServer
  let http: Server
  let connections: Connection[]
  let events: string[]
  /** URLs of the port of the channels, and of the HTTP service that proxies to it. */
  let urls: readonly [string, string]

  before(function () {
    const found = loadUws(() => undefined)
    if (!found) {
      noteSkipped('server of the live channels with uWebSockets', 'install uWebSockets.js')
      return this.skip()
    }
    loaded = found
  })

  const settings = { host: '127.0.0.1', port: 0, corsOrigins: [], trustedProxies: [] }
  const start = (changes: Partial<typeof settings> = {}) => {
    const limits = { connections: 100, guestsOfAddress: 1, joinWithinMs: 60_000 }
    const live: Pick<Live, 'connect'> & { sessions: Pick<Live['sessions'], 'admission'> } = {
      sessions: { admission: new ConnectionAdmission(limits, () => false) },
      connect(channel, _permit, connection) {
        connections.push(connection)
        events.push(`connect ${channel}`)
        return {
          receive: message => void events.push(`message ${message.text()} of ${message.bytes} bytes`),
          control: bytes => void events.push(`control ${bytes}`),
          onDrain: () => void events.push('drain'),
          closed: () => void events.push('closed'),
        }
      },
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part that a transport uses
    return createUwsServer(loaded, live as Live, { ...settings, ...changes })
  }

  beforeEach(async () => {
    ;[connections, events] = [[], []]
    server = await start()
    http = createServer().on('upgrade', (request, socket, head) => server.upgrade(request, socket, head))
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    urls = [`ws://127.0.0.1:${server.port}`, `ws://127.0.0.1:${(http.address() as AddressInfo).port}`]
  })
  afterEach(async () => {
    await server?.close()
    http?.closeAllConnections()
    http?.close()
  })

  const connect = async (url: string) => {
    const client = new WebSocket(`${url}${channelPath}status`)
    const [response] = await Promise.all([once(client, 'upgrade'), once(client, 'open')])
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the argument of the event
    const { socket } = response[0] as { socket: Socket }
    await until(() => connections.length === 1)
    return { client, socket }
  }
  const statusOf = async (url: string, path = `${channelPath}status`): Promise<unknown> => {
    const client = new WebSocket(url + path)
    client.on('error', () => undefined)
    const [, response] = await once(client, 'unexpected-response')
    return response.statusCode
  }

  it('Messages, pings and the end of a connection reach its receiver, and frames reach the client in order', async () => {
    for (const url of urls) {
      ;[connections, events] = [[], []]
      const { client } = await connect(url)
      const received: string[] = []
      client.on('message', (data: Buffer, isBinary) =>
        received.push(`${isBinary ? 'binary' : 'text'} ${data.toString()}`),
      )
      const frames = [1, 2, 3].map(data => frameOf('status', 'update', data))
      expect(connections[0]?.write(frames.slice(0, 1))).to.equal(true)
      expect(connections[0]?.write(frames.slice(1))).to.equal(true)
      await until(() => received.length === 3)
      expect(received).to.deep.equal([1, 2, 3].map(data => `text {"event":"update","data":${data}}`))
      client.send('ä')
      client.ping('four')
      client.pong('fives')
      client.close()
      await until(() => events.includes('closed'))
      expect(events).to.deep.equal(['connect status', 'message ä of 2 bytes', 'control 4', 'control 5', 'closed'])
      expect(connections[0]?.write(frames), 'after the end').to.equal(true)
      connections[0]?.close('going_away')
    }
  })

  it('A connection is closed with the code of a reason', async () => {
    const { client } = await connect(urls[0])
    const closed = once(client, 'close')
    connections[0]?.close('invalid_token')
    expect((await closed).map(String)).to.deep.equal(['4401', 'invalid_token'])
  })

  it('A connection whose client accepts no data is full until the client has received them', async () => {
    const { client, socket } = await connect(urls[0])
    const frame = frameOf('status', 'update', 'x'.repeat(65_000))
    expect(connections[0]?.write([frame])).to.equal(true)
    socket.pause()
    const firstFull = Array.from({ length: 500 }).findIndex(() => connections[0]?.write([frame, frame]) === false)
    expect(firstFull).to.be.at.least(0)
    expect(events).to.deep.equal(['connect status'])
    socket.resume()
    await until(() => events.includes('drain'))
    client.terminate()
  })

  it('A client for which more than 64 MiB are buffered is disconnected', async () => {
    const { client, socket } = await connect(urls[0])
    socket.pause()
    const frame = frameOf('status', 'update', 'x'.repeat(1_000_000))
    for (let i = 0; i < 100; i++) connections[0]?.write([frame])
    await until(() => events.includes('closed'))
    client.terminate()
  })

  it('Connections beyond the limit are rejected with 503, and those at other paths with 404 without counting', async () => {
    for (const url of urls) {
      ;[connections, events] = [[], []]
      for (const path of ['/', `${channelPath}nothing`]) expect(await statusOf(url, path), path).to.equal(404)
      const { client } = await connect(url)
      expect(await statusOf(url)).to.equal(503)
      client.close()
      await until(() => events.includes('closed'))
    }
    const other = await fetch(`${urls[0].replace('ws', 'http')}/nothing`)
    expect([other.status, await other.text()]).to.deep.equal([404, ''])
  })

  it('After it stops accepting, new connections are rejected, and existing ones stay open', async () => {
    const { client } = await connect(urls[0])
    server.stopAccepting()
    expect(await statusOf(urls[1])).to.equal(503)
    const [error] = await once(new WebSocket(`${urls[0]}${channelPath}status`), 'error')
    expect(error).to.have.property('code', 'ECONNREFUSED')
    client.send('more')
    await until(() => events.includes('message more of 4 bytes'))
    client.close()
    await until(() => events.includes('closed'))
    expect(await statusOf(urls[1]), 'with room').to.equal(503)
  })

  it('An address that cannot be listened on is an error', async () => {
    const error = await start({ host: '256.0.0.1' }).catch(String)
    expect(error).to.equal('Error: Cannot listen on 256.0.0.1:0 for the live channels')
  })
})

async function until(when: () => boolean): Promise<void> {
  while (!when()) await new Promise(resolve => setTimeout(resolve, 5))
}
