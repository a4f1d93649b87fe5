import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { ResponseText } from '../../../../api/graphql/http/response-text.ts'
import { sendResponse } from '../../../../api/graphql/http/send-response.ts'
import { ResponseBudget } from '../../../../api/graphql/run/response-budget.ts'
import { defaultGraphqlLimits } from '../../../../api/ports/graphql-limits.ts'

const long = { data: { list: Array.from({ length: 200_000 }, (_, i) => ({ name: `Ä machine ${i}`, inner: [i] })) } }
const longBytes = Buffer.byteLength(JSON.stringify(long))

interface Written {
  readonly text: ResponseText
  readonly budget: ResponseBudget
}

function create({
  maxBytes = Infinity,
  roomBytes = Infinity,
  signal = new AbortController().signal,
  isLate = false,
} = {}): Written {
  let left = roomBytes
  const room = { reserve: (bytes: number) => (left -= bytes) >= 0 }
  const budget = new ResponseBudget({ ...defaultGraphqlLimits, responseBytes: maxBytes }, room)
  return { budget, text: new ResponseText({ budget, maxBytes, signal, isLate: () => isLate }) }
}

const textOf = ({ text }: Written) => Buffer.concat([...text.chunks]).toString()
const codeOf = (written: Written) => {
  const { errors, data }: { errors: { extensions: { code: string } }[]; data: unknown } = JSON.parse(textOf(written))
  expect(data).to.equal(null)
  return errors[0]?.extensions.code
}

describe('the text of a GraphQL response', () => {
  it('The text of a GraphQL response is the JSON of its result in chunks, with its size in bytes', async () => {
    const written = create()
    await written.text.appendResult(long)
    expect(textOf(written)).to.equal(JSON.stringify(long))
    expect(written.text.bytes).to.equal(longBytes)
    expect(written.text.chunks).to.have.length.above(50)
  })

  it('A GraphQL result that is too large is replaced by an error, and all work for the response ends', async () => {
    const written = create({ maxBytes: longBytes - 1 })
    await written.text.appendResult(long)
    expect(codeOf(written)).to.equal('row-limit-exceeded')
    expect(written.budget.exceeded.aborted).to.equal(true)
  })

  it('GraphQL results before one that is too large are retained', async () => {
    const written = create({ maxBytes: 1_000 })
    written.text.append('[')
    await written.text.appendResult({ data: { a: 1 } })
    written.text.append(',')
    await written.text.appendResult(long)
    written.text.append(']')
    expect(textOf(written)).to.match(/^\[\{"data":\{"a":1\}\},\{"errors":\[.*row-limit-exceeded.*\}\]$/)
    expect(written.text.bytes).to.equal(textOf(written).length)
  })

  it('A GraphQL result is replaced by an error if the responses in progress use all memory', async () => {
    const written = create({ roomBytes: longBytes / 2 })
    await written.text.appendResult(long)
    expect(codeOf(written)).to.equal('rate-limit-exceeded')
  })

  it('Writing a GraphQL response stops when the client disconnects', async () => {
    const gone = new AbortController()
    const written = create({ signal: gone.signal })
    const writing = written.text.appendResult(long)
    gone.abort()
    await writing
    expect(written.text.bytes).to.be.below(500)
  })

  it('Writing a GraphQL response stops when the time limit is exceeded', async () => {
    const late = new AbortController()
    const written = create({ signal: late.signal, isLate: true })
    const writing = written.text.appendResult(long)
    late.abort()
    await writing
    expect(codeOf(written)).to.equal('time-limit-exceeded')
  })

  describe('sent to a client', () => {
    let server: Server
    let closed: Promise<unknown>

    const serve = async (readWithinMs: number) => {
      const written = create()
      await written.text.appendResult(long)
      const app = express()
      app.get('/', async (_request, response) => {
        const ended = new AbortController()
        closed = once(response, 'close').then(() => ended.abort())
        response.type('application/json')
        await sendResponse(response, written.text, ended.signal, { readWithinMs, minBytesPerMs: Infinity })
      })
      server = createServer(app).listen(0, '127.0.0.1')
      await once(server, 'listening')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
      return (server.address() as AddressInfo).port
    }
    afterEach(() => server.close())

    for (const encoding of ['identity', 'gzip', 'br'])
      it(`A client receives the whole GraphQL response with the encoding ${encoding}`, async () => {
        const port = await serve(60_000)
        const response = await fetch(`http://127.0.0.1:${port}`, { headers: { 'accept-encoding': encoding } })
        expect(response.headers.get('content-encoding')).to.equal(encoding === 'identity' ? null : encoding)
        expect(await response.text()).to.equal(JSON.stringify(long))
      })

    it('A client that does not read a GraphQL response in time is disconnected', async () => {
      const port = await serve(300)
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.pause()
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(server, 'request')
      await closed
      socket.destroy()
    })
  })
})
