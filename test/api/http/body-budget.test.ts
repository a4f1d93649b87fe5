import { request as open, type ClientRequest } from 'node:http'
import { once } from 'node:events'
import { expect } from 'chai'
import { defaultJsonBounds } from '../../../shared/json/bounds.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { startApi, type TestApi } from '../../support/api.ts'

describe('HTTP: bodies in progress', () => {
  let api: TestApi
  let key: string
  before(async () => {
    const bounds = { ...defaultJsonBounds, bytes: 20_000 }
    api = await startApi({ settings: { ingest: bounds, json: bounds, bodiesBytes: 20_000 } })
    key = api.addKey(['system.admin', 'ingest.activity'])
  })
  after(() => api.close())

  const post = (raw: string) =>
    api.call('POST', '/ingest/samples', undefined, { key, raw, headers: { 'content-type': 'application/json' } })

  it('A body beyond the memory limit of all bodies is rejected before it is read, until memory is free again', async () => {
    const half = startBody(`${api.url}/ingest/samples`, 15_000, { authorization: `Bearer ${key}` })
    let refused = await post(' '.repeat(9_998) + '[]')
    for (let tries = 0; refused.status !== 503 && tries < 100; tries++) refused = await post(' '.repeat(9_998) + '[]')
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('retry-after')).to.equal('1')
    expect((await post('[]')).status).to.equal(202)
    half.end(' '.repeat(14_998) + ']')
    await once(half, 'response')
    let taken = await post(' '.repeat(9_998) + '[]')
    for (let tries = 0; taken.status !== 202 && tries < 100; tries++) taken = await post(' '.repeat(9_998) + '[]')
    expect(taken.status).to.equal(202)
  })

  it('A company that exceeds its share of body memory receives 429, and another company is served', async () => {
    const otherKey = 'a key of another company, which is long enough'
    api.registrar.addCompany('Other', hashKey(otherKey))
    const half = startBody(`${api.url}/ingest/samples`, 9_000, { authorization: `Bearer ${key}` })
    let refused = await post('[]'.padEnd(6_000))
    for (let tries = 0; refused.status !== 429 && tries < 100; tries++) refused = await post('[]'.padEnd(6_000))
    expect(refused.status).to.equal(429)
    expect(refused.headers.get('retry-after')).to.equal('1')
    expect(refused.body).to.have.property('message', 'Too many concurrent large bodies of this company')
    const ofOther = await api.call('POST', '/ingest/samples', undefined, {
      key: otherKey,
      raw: '[]'.padEnd(6_000),
      headers: { 'content-type': 'application/json' },
    })
    expect(ofOther.status, 'a body of the other company').to.equal(202)
    half.end(']'.padStart(8_999))
    await once(half, 'response')
  })
})

describe('HTTP: bodies without a key', () => {
  let api: TestApi
  const largest = 1_000
  before(async () => {
    api = await startApi({ settings: { publicBodyBytes: largest, trustedProxies: ['127.0.0.1'] } })
  })
  after(() => api.close())

  it('An address that exceeds its share of body memory receives 429, and another address is served', async () => {
    const signIn = (address: string) =>
      api.call('POST', '/session', undefined, {
        key: null,
        raw: JSON.stringify({ email: 'nobody@example.com', password: 'x' }).padEnd(largest),
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      })
    const begun = Array.from({ length: 32 }, () =>
      startBody(`${api.url}/session`, largest, { 'x-forwarded-for': '10.0.0.1' }),
    )
    let refused = await signIn('10.0.0.1')
    for (let tries = 0; refused.status !== 429 && tries < 100; tries++) refused = await signIn('10.0.0.1')
    expect(refused.status).to.equal(429)
    expect(refused.body).to.have.property('message', 'Too many concurrent large bodies of this address')
    expect((await signIn('10.0.0.2')).status, 'another address').to.equal(401)
    for (const each of begun) each.destroy()
    let answered = await signIn('10.0.0.1')
    for (let tries = 0; answered.status === 429 && tries < 100; tries++) answered = await signIn('10.0.0.1')
    expect(answered.status, 'once the bodies are gone').to.equal(401)
  })
})

/** Announces a body of `bytes` bytes, and sends the first. */
function startBody(url: string, bytes: number, headers: Readonly<Record<string, string>>): ClientRequest {
  const started = open(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': bytes, 'content-type': 'application/json' },
  })
  started.on('error', () => undefined)
  started.write('[')
  return started
}
