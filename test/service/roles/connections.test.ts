import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { listen, type ListeningServer } from '../../../service/roles/listen.ts'

const bounds = {
  port: 0,
  host: '127.0.0.1',
  headerBytes: 16_384,
  headers: 100,
  headersMs: 1_000,
  requestMs: 3_000,
  idleMs: 1_000,
  connections: 50,
  unsentBytes: 1_000_000,
}

describe('connections to the port', function () {
  let listening: ListeningServer
  let sockets: Socket[]
  const start = async (changed: Partial<typeof bounds> = {}) => {
    listening = await listen(
      (request, response) => {
        request.resume()
        request.on('end', () => response.end(`path ${request.url}`))
      },
      { ...bounds, ...changed },
    )
  }
  beforeEach(() => {
    sockets = []
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await listening.close()
  })
  /** Opens a connection; returns it with the data that it receives until it is closed. */
  const open = async () => {
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => undefined)
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    await new Promise<void>(resolve => {
      socket.once('connect', () => resolve())
      socket.once('close', () => resolve())
    })
    return { socket, closed, text: () => text }
  }
  /** Sends a byte every 100 ms until the connection is closed. */
  const trickle = async (socket: Socket, closed: Promise<void>) => {
    const timer = setInterval(() => socket.write('a'), 100)
    await closed
    clearInterval(timer)
  }

  it('A connection with slow headers is closed with 408', async () => {
    await start()
    const { socket, closed, text } = await open()
    socket.write('GET / HTTP/1.1\r\nHost: takt\r\nX-Slow: ')
    await trickle(socket, closed)
    expect(text()).to.match(/^HTTP\/1.1 408 /)
  })

  it('A connection with a slow body is closed with 408', async () => {
    await start()
    const { socket, closed, text } = await open()
    socket.write('POST / HTTP/1.1\r\nHost: takt\r\nContent-Length: 1000000\r\n\r\n')
    await trickle(socket, closed)
    expect(text()).to.match(/^HTTP\/1.1 408 /)
  })

  it('A connection that is idle after a response is closed', async () => {
    await start()
    const { socket, closed, text } = await open()
    socket.write('GET /1 HTTP/1.1\r\nHost: takt\r\n\r\n')
    await closed
    expect(text()).to.include('path /1')
  })

  it('Requests in one packet are answered in their order', async () => {
    await start()
    const { socket, closed, text } = await open()
    const paths = Array.from({ length: 500 }, (_, i) => `path /${i}`)
    socket.write(paths.map(path => `GET ${path.slice(5)} HTTP/1.1\r\nHost: takt\r\n\r\n`).join(''))
    await closed
    expect(text().match(/path \/\d+/g)).to.deep.equal(paths)
  })

  it('A connection beyond the limit is closed, and the existing ones stay open', async () => {
    await start({ headersMs: 30_000, requestMs: 30_000 })
    const held = await Promise.all(Array.from({ length: bounds.connections }, open))
    const further = await open()
    await further.closed
    held[0]?.socket.write('GET /first HTTP/1.1\r\nHost: takt\r\n\r\n')
    while (held[0]?.text().includes('path /first') === false) await sleep(20)
  })

  it('A request with headers beyond the limit is answered 431', async () => {
    await start()
    const { socket, closed, text } = await open()
    socket.write(`GET / HTTP/1.1\r\nHost: takt\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)
    await closed
    expect(text()).to.match(/^HTTP\/1.1 431 /)
  })

  it('A request that cannot be parsed or used is answered as JSON, and its connection is closed', async () => {
    await start()
    const head = 'POST / HTTP/1.1\r\nHost: takt\r\n'
    for (const [sent, status] of [
      ['nonsense\r\n\r\n', 400],
      ['GET / HTTP/1.1\nHost: takt\n\n', 400],
      ['GET / HTTP/1.1\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: "a"\r\n\r\n', 400],
      [`${head}Authorization: a\r\nAuthorization: b\r\n\r\n`, 400],
      [`${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
      [`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      [`${head}Transfer-Encoding: identity\r\n\r\nhello`, 400],
      [`${head}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`, 400],
      [`${head}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n`, 413],
      [`${head}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      [`${head}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n[]`, 417],
      ['CONNECT takt:443 HTTP/1.1\r\nHost: takt:443\r\n\r\n', 404],
      [`${head}Content-Length: 5\r\nX-Slow: `, 408],
    ] as const) {
      const { socket, closed, text } = await open()
      socket.write(sent)
      await closed
      expect(text(), sent.slice(0, 60)).to.match(new RegExp(`^HTTP/1.1 ${status} `))
      expect(JSON.parse(text().split('\r\n\r\n')[1] ?? '')).to.have.all.keys('code', 'message', 'errors')
    }
  })

  it('Host headers of every form are accepted', async () => {
    await start()
    for (const host of ['takt', 'takt.example:8080', '127.0.0.1', '[::1]:8080', 'my_plant-1', '']) {
      const { socket, closed, text } = await open()
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      await closed
      expect(text(), host).to.match(/^HTTP\/1.1 200 /)
    }
  })

  it('A response in progress is not followed by the error response of the next request', async () => {
    listening = await listen((_request, response) => void response.write('first'), bounds)
    const { socket, closed, text } = await open()
    socket.write('GET / HTTP/1.1\r\nHost: takt\r\n\r\n')
    while (!text().includes('first')) await sleep(10)
    socket.write('nonsense\r\n\r\n')
    await closed
    expect(text().match(/HTTP\/1.1/g)).to.have.lengthOf(1)
  })

  it('A request is answered while thousands of connections are idle', async () => {
    const idle = 5_000
    await start({ connections: idle + 100, headersMs: 30_000, requestMs: 30_000 })
    for (let i = 0; i < idle; i += 250) await Promise.all(Array.from({ length: 250 }, open))
    const { socket, text } = await open()
    socket.write('GET /there HTTP/1.1\r\nHost: takt\r\n\r\n')
    while (!text().includes('path /there')) await sleep(20)
  })
})
