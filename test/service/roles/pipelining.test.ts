import { connect, type Socket } from 'node:net'
import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { listen, type ListeningServer, type ListenOptions } from '../../../service/roles/listen.ts'

const limits: ListenOptions = {
  port: 0,
  host: '127.0.0.1',
  headerBytes: 16_384,
  headers: 100,
  headersMs: 15_000,
  requestMs: 60_000,
  idleMs: 15_000,
  connections: 500,
  unsentBytes: 64 * 1024 * 1024,
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: takt\r\n\r\n`
const large = 2_000_000

describe('pipelined requests', function () {
  let listening: ListeningServer
  let sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await listening.close()
  })
  const start = async (handler: RequestListener, changes: Partial<ListenOptions> = {}) => {
    listening = await listen(handler, { ...limits, ...changes })
  }
  const open = (): Socket => {
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
    return socket
  }
  const until = async (when: () => boolean, withinMs = 60_000) => {
    const untilMs = performance.now() + withinMs
    while (!when()) {
      expect(performance.now(), 'in time').to.be.below(untilMs)
      await sleep(10)
    }
  }

  it('A connection has one request in progress, whatever number of requests it sends', async () => {
    let inProgress = 0
    let maxInProgress = 0
    let handled = 0
    await start((_request, response) => {
      inProgress += 1
      maxInProgress = Math.max(maxInProgress, inProgress)
      setTimeout(() => {
        inProgress -= 1
        handled += 1
        response.end('done')
      }, 1)
    })
    open().write(get('/').repeat(300))
    await until(() => handled === 300)
    expect(maxInProgress).to.equal(1)
  })

  it('A client that does not read gets no second response, and all responses in order when it reads', async () => {
    let handled = 0
    await start((request, response) => {
      handled += 1
      response.end(`${request.url}${' '.repeat(large)}`)
    })
    const socket = open().pause()
    socket.write(Array.from({ length: 40 }, (_, i) => get(`/${i};`)).join(''))
    await sleep(1_000)
    // The system buffers a few megabytes per connection.
    expect(handled).to.be.below(10)
    const paths: string[] = []
    socket.on('data', (chunk: Buffer) => paths.push(...(chunk.toString().match(/\/\d+;/g) ?? [])))
    socket.resume()
    await until(() => handled === 40)
    await until(() => paths.length >= 39)
    expect(paths).to.deep.equal(Array.from({ length: 40 }, (_, i) => `/${i};`).slice(0, paths.length))
  })

  it('A connection is not read while its requests wait', async () => {
    let bytesRead = () => 0
    let answer: () => void = () => undefined
    await start((request, response) => {
      bytesRead = () => request.socket.bytesRead
      answer = () => response.end()
    })
    // More data than fits into the buffers of the system.
    open().write(get(`/${'a'.repeat(8_000)}`).repeat(4_000))
    await until(() => bytesRead() > 0)
    await sleep(1_000)
    const before = bytesRead()
    expect(before).to.be.within(8_000, 300_000)
    answer()
    await sleep(300)
    expect(bytesRead()).to.equal(before)
  })

  it('A slow body after waiting requests is read completely', async () => {
    const bodies: string[] = []
    await start((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        bodies.push(body)
        setTimeout(() => response.end(), 5)
      })
    })
    const socket = open()
    const post = 'POST / HTTP/1.1\r\nHost: takt\r\nContent-Length: 100000\r\n\r\n'
    socket.write(get('/').repeat(20) + post + 'a'.repeat(10))
    await sleep(200)
    for (let i = 0; i < 9; i++) {
      socket.write('a'.repeat(11_110))
      await sleep(10)
    }
    socket.write(get('/').repeat(20))
    await until(() => bodies.length === 41)
    expect(bodies[20]).to.have.lengthOf(100_000)
  })

  it('Other connections are answered while one sends requests endlessly', async () => {
    let handled = 0
    await start((request, response) => {
      if (request.url === '/endless') handled += 1
      response.end('x'.repeat(10_000))
    })
    const socket = open()
    socket.resume()
    const feed = setInterval(() => socket.writableLength < 1_000_000 && socket.write(get('/endless').repeat(2_000)), 5)
    await until(() => handled > 1_000)
    const before = handled
    for (let i = 0; i < 20; i++) await (await fetch(listening.url)).text()
    clearInterval(feed)
    // About 3; with requests handled in the order in which they were read, several hundred.
    expect((handled - before) / 20).to.be.below(100)
  })

  it('The number of requests that wait on all connections is limited', async () => {
    await start(() => undefined)
    const closed = new Set<Socket>()
    for (let i = 0; i < 30; i++) {
      const socket = open()
      socket.on('close', () => closed.add(socket))
      socket.write(get('/').repeat(1_500))
    }
    await until(() => closed.size >= 5)
    // A closed connection frees its share of the limit.
    expect(closed.size).to.be.below(30)
  })

  it('A client that reads nothing is disconnected after the idle time, and a slow reader is not', async () => {
    const closed = new Set<string | undefined>()
    await start(
      (request, response) => {
        response.once('close', () => closed.add(request.url))
        response.end(Buffer.alloc(20_000_000))
      },
      { idleMs: 3_000 },
    )
    const [silent, slow] = [open().pause(), open()]
    silent.write(get('/silent'))
    slow.write(get('/slow'))
    let [bytes, bytesOfSilent] = [0, 0]
    silent.on('data', (chunk: Buffer) => (bytesOfSilent += chunk.length))
    slow.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      slow.pause()
      // All of the response takes longer than the idle time.
      setTimeout(() => slow.resume(), 20)
    })
    await until(() => closed.has('/silent'))
    silent.resume()
    await until(() => silent.destroyed)
    expect(bytesOfSilent).to.be.below(20_000_000)
    await until(() => bytes >= 20_000_000)
  })

  it('The connections of the slowest clients are closed if all unsent bytes exceed the limit', async () => {
    await start((_request, response) => void response.end(Buffer.alloc(10_000_000)), { unsentBytes: 30_000_000 })
    const ended: number[] = []
    for (let i = 0; i < 10; i++) {
      const socket = open().pause()
      socket.on('end', () => undefined)
      socket.on('close', () => ended.push(i))
      socket.write(get('/'))
      await sleep(200)
    }
    for (const socket of sockets) socket.resume()
    await until(() => ended.length > 0)
    const response = await fetch(listening.url)
    expect((await response.arrayBuffer()).byteLength).to.equal(10_000_000)
    expect(ended).to.include(0)
    expect(ended).not.to.include(9)
  })
})
