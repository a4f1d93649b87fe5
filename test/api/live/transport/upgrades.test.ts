import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { once } from 'node:events'
import type { Engine } from '../../../../api/live/transport/server.ts'
import { noteSkipped } from '../../../support/skipped.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'

const engines: readonly Engine[] = ['ws', 'uws']
const javaClient = fileURLToPath(
  new URL('../../../../../shared/data/bugs/24-java-http2-upgrade/Client.java', import.meta.url),
)
const key = 'dGhlIHNhbXBsZSBub25jZQ=='
const handshake = {
  Host: 'takt',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': key,
  'Sec-WebSocket-Version': '13',
}

for (const engine of engines)
  describe(`requests with Upgrade, channels on ${engine}`, function () {
    let service: TestService
    before(async () => (service = await startService({ env: { TAKT_LIVE_ENGINE: engine } })))
    after(() => service?.stop())
    const sockets: Socket[] = []
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy()
    })

    /** Sends bytes on a connection; resolves with the text received until it is closed or complete. */
    const exchange = async (
      sent: string | Buffer,
      isComplete: (text: string) => boolean = () => false,
    ): Promise<{ text: string; isClosed: boolean }> => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      sockets.push(socket)
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      socket.on('error', () => undefined)
      socket.write(sent)
      const untilMs = performance.now() + 60_000
      while (!socket.closed && !isComplete(text)) {
        expect(performance.now(), `in time: ${text}`).to.be.below(untilMs)
        await sleep(5)
      }
      return { text, isClosed: socket.closed }
    }
    const head = (line: string, headers: Readonly<Record<string, string>>) =>
      `${[`${line} HTTP/1.1`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n`
    const without = (name: keyof typeof handshake) =>
      Object.fromEntries(Object.entries(handshake).filter(([each]) => each !== name))
    const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

    const isAnswered = (text: string) => statusesOf(text).length > 0

    it('An offer of HTTP/2 is ignored', async () => {
      const h2c = {
        Host: 'takt',
        Connection: 'Upgrade, HTTP2-Settings',
        Upgrade: 'h2c',
        'HTTP2-Settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      }
      const authorization = { Authorization: `Bearer ${testKey}` }
      for (const path of ['/health', '/events/machine/status', '/socket.io/?EIO=4&transport=polling', '/graphql']) {
        const plain = await exchange(head(`GET ${path}`, { Host: 'takt', ...authorization }), isAnswered)
        const offered = await exchange(head(`GET ${path}`, { ...h2c, ...authorization }), isAnswered)
        expect(statusesOf(offered.text), path).to.deep.equal(statusesOf(plain.text))
      }
      const json = { 'Content-Type': 'application/json', 'Content-Length': '2', Connection: 'close, Upgrade' }
      const posted = await exchange(head('POST /ingest/samples', { ...h2c, ...authorization, ...json }) + '[]')
      expect(statusesOf(posted.text)).to.deep.equal([202])
    })

    it('A connection serves further requests after an offer that was ignored', async () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      sockets.push(socket)
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      for (let i = 1; i <= 15; i++) {
        socket.write(head('GET /health/live', { Host: 'takt', Connection: 'Upgrade', Upgrade: 'h2c' }))
        while (statusesOf(text).length < i) await sleep(5)
      }
      expect(statusesOf(text)).to.deep.equal(Array(15).fill(200))
    })

    it('The HTTP client of Java works with its default settings', async function () {
      if (!existsSync(javaClient)) {
        noteSkipped('requests of the HTTP client of Java', `${javaClient} is missing`)
        return this.skip()
      }
      const ran = await promisify(execFile)('java', [javaClient, service.url, testKey]).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      })
      if (ran === null) {
        noteSkipped('requests of the HTTP client of Java', 'install Java 17 or newer')
        return this.skip()
      }
      const statuses = ran.stdout.split('\n').flatMap(line => /^(\S+) (\d+)/.exec(line)?.slice(1).join(' ') ?? [])
      expect(statuses).to.deep.equal(['/health 200', '/machines 200', '/ingest/samples 202'])
    })

    it('A WebSocket handshake at an address without WebSockets is handled as a plain request', async () => {
      const { text } = await exchange(head('GET /health/live', handshake), isAnswered)
      expect(statusesOf(text)).to.deep.equal([200])
      const missing = await exchange(head('GET /nothing', handshake), isAnswered)
      expect(statusesOf(missing.text)).to.deep.equal([401])
    })

    it('`Upgrade: websocket` without `Connection` receives a response', async () => {
      for (const path of [
        '/health/live',
        '/events/machine/status',
        '/socket.io/?EIO=4&transport=websocket',
        '/graphql',
      ]) {
        const { text } = await exchange(head(`GET ${path}`, without('Connection')), isAnswered)
        expect(statusesOf(text), path).to.have.lengthOf(1)
        expect(statusesOf(text)[0], path).to.be.oneOf([200, 400, 401])
      }
    })

    it('An incomplete handshake is rejected in JSON, and the bytes after it are not read', async () => {
      const paths = ['/events/machine/status', '/socket.io/?EIO=4&transport=websocket', '/graphql']
      const polling = head('GET /socket.io/?EIO=4&transport=polling', { Host: 'takt', 'X-Forwarded-For': '192.0.2.9' })
      const incomplete = [
        without('Sec-WebSocket-Key'),
        without('Sec-WebSocket-Version'),
        { ...handshake, 'Sec-WebSocket-Key': 'short' },
        { ...handshake, 'Sec-WebSocket-Version': '7' },
        { ...handshake, 'Content-Length': '5' },
        { ...handshake, 'Transfer-Encoding': 'chunked' },
        { ...handshake, Upgrade: 'websocket, h2c' },
      ]
      for (const path of paths)
        for (const headers of incomplete) {
          const { text, isClosed } = await exchange(head(`GET ${path}`, headers) + polling + polling)
          expect(isClosed, JSON.stringify(headers)).to.equal(true)
          expect(statusesOf(text), path).to.have.lengthOf(1)
          expect(statusesOf(text)[0]).to.be.oneOf([400, 426])
          expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).to.have.all.keys('code', 'message', 'errors')
        }
      const posted = await exchange(head('POST /events/machine/status', handshake) + polling)
      expect(statusesOf(posted.text)).to.deep.equal([400])
    })

    it('Requests after a handshake never reach the channels as requests', async () => {
      const smuggled = head('GET /socket.io/?EIO=4&transport=polling', { Host: 'takt' })
      for (const path of ['/events/machine/status', '/socket.io/?EIO=4&transport=websocket']) {
        const { text } = await exchange(head(`GET ${path}`, handshake) + smuggled)
        expect(statusesOf(text), path).to.deep.equal([101])
      }
    })

    it('Messages that are sent immediately after a handshake are received', async () => {
      const join = Buffer.from(JSON.stringify({ event: 'join', data: { token: testKey } }))
      // A masked text frame whose mask is zero.
      const frame = Buffer.concat([Buffer.from([0x81, 0x80 | join.length, 0, 0, 0, 0]), join])
      expect(join.length).to.be.below(126)
      const has = (received: string) => received.includes('channel_join')
      const { text } = await exchange(
        Buffer.concat([Buffer.from(head('GET /events/machine/status', handshake)), frame]),
        has,
      )
      expect(text).to.include('channel_join_success')
    })

    it('A handshake after a request without a response closes the connection', async () => {
      const report = head('GET /health', { Host: 'takt' })
      const { text, isClosed } = await exchange(report + head('GET /events/machine/status', handshake))
      expect(isClosed).to.equal(true)
      expect(statusesOf(text)).not.to.include(101)
    })

    it('A second Host or Authorization header is rejected', async () => {
      const twice = (name: string, line: string) =>
        `${line} HTTP/1.1\r\n${name}: a\r\n${name}: b\r\n${name === 'Host' ? '' : 'Host: takt\r\n'}`
      for (const name of ['Host', 'Authorization']) {
        for (const path of ['/health', '/socket.io/?EIO=4&transport=polling']) {
          const { text, isClosed } = await exchange(`${twice(name, `GET ${path}`)}\r\n`)
          expect([statusesOf(text), isClosed], `${name} ${path}`).to.deep.equal([[400], true])
        }
        const upgrade = head('', handshake).replace(/^.*\r\nHost: takt\r\n/, '')
        const { text } = await exchange(twice(name, 'GET /events/machine/status') + upgrade)
        expect(statusesOf(text), name).to.deep.equal([400])
      }
    })

    it('A client that disconnects during its handshake leaves no open connection', async () => {
      for (let i = 0; i < 50; i++) {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
        socket.on('error', () => undefined)
        socket.end(head('GET /events/machine/status', handshake))
        await sleep(i % 5)
        socket.destroy()
      }
      const webSocket = new WebSocket(`${service.url.replace('http', 'ws')}/events/machine/status`)
      await once(webSocket, 'open')
      webSocket.terminate()
      const metric = async () =>
        /^takt_live_connections (\d+)/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]
      for (let i = 0; i < 1_200 && (await metric()) !== '0'; i++) await sleep(50)
      expect(await metric()).to.equal('0')
    })
  })
