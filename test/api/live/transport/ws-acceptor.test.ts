import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket } from 'ws'
import { ConnectionAdmission } from '../../../../api/live/limits/connection-admission.ts'
import { ClientAddresses } from '../../../../api/live/transport/client-address.ts'
import { textMessage } from '../../../../api/live/outbox/frame.ts'
import { BoundedServer, WsAcceptor, type WsConnection } from '../../../../api/live/transport/ws-acceptor.ts'

describe('WsAcceptor', () => {
  let server: Server
  let acceptor: WsAcceptor
  let url: string
  let connections: WsConnection[]
  let events: string[]

  beforeEach(async () => {
    ;[connections, events] = [[], []]
    const limits = { connections: 100, guestsOfAddress: 100, joinWithinMs: 60_000 }
    acceptor = new WsAcceptor({
      admission: new ConnectionAdmission(limits, () => false),
      addresses: new ClientAddresses([]),
      messageBytes: 1_000,
    })
    server = createServer()
    server.on('upgrade', (request, socket, head) =>
      acceptor.upgrade(request, socket, head, connection => {
        connections.push(connection)
        return {
          receive: message => void events.push(`message ${message.text()}`),
          control: bytes => void events.push(`control ${bytes}`),
          onDrain: () => void events.push('drain'),
          closed: () => void events.push('closed'),
        }
      }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    await acceptor.close()
    server.closeAllConnections()
    server.close()
  })

  const connect = async () => {
    const client = new WebSocket(url)
    let socket: Socket | null = null
    client.on('upgrade', response => (socket = response.socket))
    await once(client, 'open')
    return { client, pause: () => socket?.pause() }
  }
  const statusOf = async (client: WebSocket) => {
    client.on('error', () => undefined)
    const [, { statusCode }] = await once(client, 'unexpected-response')
    return statusCode
  }

  it('Messages, pings and the end of a connection reach its receiver, and it writes while little is buffered', async () => {
    const { client } = await connect()
    const received = once(client, 'message')
    expect(
      connections[0]?.write([{ bytes: 4, write: socket => socket.write(Buffer.from([0x81, 2, 0x68, 0x69])) }]),
    ).to.equal(true)
    expect(String((await received)[0])).to.equal('hi')
    client.send('one')
    client.ping('four')
    client.close()
    await once(client, 'close')
    expect(events).to.deep.equal(['message one', 'control 4', 'closed'])
    expect(connections[0]?.write([])).to.equal(true)
  })

  it('A client that does not accept data is not writable until it has received them', async () => {
    const { client, pause } = await connect()
    pause()
    const text = Buffer.alloc(65_000, 'x')
    const frame = { bytes: text.length, write: (socket: NodeJS.WritableStream) => void socket.write(textMessage(text)) }
    const firstRejected = Array.from({ length: 1_000 }).findIndex(() => connections[0]?.write([frame, frame]) === false)
    expect(firstRejected).to.be.at.least(0)
    client.terminate()
  })

  it('A client that sends a message above the limit of bytes or fragments is disconnected with the code of the error', async () => {
    const ends: Readonly<Record<string, (client: WebSocket) => void>> = {
      1009: client => client.send('x'.repeat(1_001)),
      1008: client => {
        for (let i = 0; i < 17; i++) client.send('x', { fin: false })
      },
    }
    for (const [code, send] of Object.entries(ends)) {
      events = []
      const { client } = await connect()
      send(client)
      expect(String((await once(client, 'close'))[0])).to.equal(code)
      await until(() => events.includes('closed'))
      expect(events).to.deep.equal(['closed'])
    }
  })

  it('The limits of fragments and of network chunks of a message grow with the limit of its bytes', () => {
    const limitsOf = (maxPayload: number) => new BoundedServer({ noServer: true, maxPayload }).options
    expect(limitsOf(1_000)).to.include({ maxFragments: 16, maxBufferedChunks: 1_024 })
    expect(limitsOf(1_048_576)).to.include({ maxFragments: 64, maxBufferedChunks: 4_096 })
  })

  it('Handshakes are rejected with 503 after the acceptor stops or closes', async () => {
    const { client } = await connect()
    acceptor.stopAccepting()
    expect(acceptor.isAccepting).to.equal(false)
    expect(await statusOf(new WebSocket(url))).to.equal(503)
    expect(client.readyState, 'an open connection stays open').to.equal(WebSocket.OPEN)
    client.close()
    await once(client, 'close')
  })

  it('Clients that do not reply to their close frame are disconnected within seconds when the acceptor closes', async () => {
    const { client, pause } = await connect()
    pause()
    connections[0]?.close('going_away')
    const startedMs = performance.now()
    await acceptor.close()
    expect(performance.now() - startedMs).to.be.within(900, 5_000)
    await until(() => events.includes('closed'))
    expect(await statusOf(new WebSocket(url))).to.equal(503)
    client.terminate()
  })
})

async function until(when: () => boolean): Promise<void> {
  while (!when()) await new Promise(resolve => setTimeout(resolve, 10))
}
