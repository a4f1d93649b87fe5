import { expect } from 'chai'
import { request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { JsonList } from '../../../api/json/write-json.ts'
import { adminKey, startApi, type TestApi } from '../../support/api.ts'

/** A list that is written item by item; `then` runs at its end and may throw. */
function numbers(count: number, then: () => void = () => undefined): JsonList {
  return new JsonList(function* (into) {
    for (let i = 0; i < count; i++) {
      into.text(`${i === 0 ? '' : ','}${i}`)
      if (into.isFull) yield
    }
    then()
  })
}

describe('HTTP: compressed responses', function () {
  let api: TestApi
  let list: JsonList

  before(async () => {
    const report = { range: { start: '', end: '' }, aggregate: {}, entities: {} }
    api = await startApi({ production: async () => ({ ...report, items: list }) })
  })
  after(() => api?.close())

  const ask = async (path: string, encoding: string, method = 'GET'): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${adminKey}`, 'accept-encoding': encoding }
    const asking = request(`${api.url}${path}`, { method, headers })
    asking.end(method === 'POST' ? '{}' : undefined)
    const [answer]: IncomingMessage[] = await once(asking, 'response')
    if (!answer) throw new Error('No answer')
    return answer
  }
  const bytesOf = async (answer: IncomingMessage): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  it('A response has the first of the most preferred encodings, and is not compressed if the client accepts no encoding', async () => {
    const plain = await bytesOf(await ask('/openapi.json', 'identity'))
    const [br, gzip, none] = [
      await ask('/openapi.json', 'deflate, br, gzip'),
      await ask('/openapi.json', 'gzip;q=1, br;q=0.5'),
      await ask('/openapi.json', 'identity, gzip;q=0'),
    ]
    expect([br, gzip, none].map(({ headers }) => headers['content-encoding'])).to.deep.equal(['br', 'gzip', undefined])
    for (const { headers } of [br, gzip, none]) expect(headers.vary).to.contain('Accept-Encoding')
    expect(brotliDecompressSync(await bytesOf(br)).equals(plain)).to.equal(true)
    const zipped = await bytesOf(gzip)
    expect(gunzipSync(zipped).equals(plain)).to.equal(true)
    expect(zipped.length).to.be.below(plain.length / 3)
    expect((await bytesOf(none)).equals(plain)).to.equal(true)
  })

  it('A small response is not compressed', async () => {
    const small = await ask('/accounts/current', 'gzip')
    expect(small.headers['content-encoding']).to.equal(undefined)
    await bytesOf(small)
  })

  it('A streamed response is compressed while it is written', async () => {
    list = numbers(300_000)
    for (const [encoding, read] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const answer = await ask('/reports/production', encoding, 'POST')
      expect([answer.statusCode, answer.headers['content-encoding']]).to.deep.equal([200, encoding])
      const { items }: { items: number[] } = JSON.parse(read(await bytesOf(answer)).toString())
      expect([items.length, items.at(-1)]).to.deep.equal([300_000, 299_999])
    }
  })

  it('A compressed response that fails half-way ends with a connection error', async () => {
    list = numbers(300_000, () => {
      throw new Error('The rest cannot be read')
    })
    const answer = await ask('/reports/production', 'gzip', 'POST')
    const failure: unknown = await bytesOf(answer).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Error)
  })
})
