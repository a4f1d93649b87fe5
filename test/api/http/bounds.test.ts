import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import type { IngestResponse } from '../../../schema/requests/ingest.ts'
import { defaultJsonBounds } from '../../../shared/json/bounds.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'

const json = { 'content-type': 'application/json' } as const
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('HTTP: limits of bodies', () => {
  let api: TestApi
  before(async () => {
    api = await startApi({ settings: { json: { ...defaultJsonBounds, bytes: 100_000, elements: 50, values: 200 } } })
  })
  after(() => api.close())

  const put = (raw: string | Buffer, headers = {}) =>
    api.call('PUT', '/settings', undefined, { raw, headers: { ...json, ...headers } })
  const messageOf = async (raw: string) => {
    const answer = await put(raw)
    assert.equal(answer.status, 400)
    assert.deepEqual(faultsOf(answer), ['body OutOfRange'])
    return shaped<{ errors: { message: string }[] }>(answer).errors[0]?.message
  }

  it('Every route rejects a body that is nested too deeply', async () => {
    assert.equal(await messageOf(nested(33)), 'body: JSON must be nested at most 32 levels deep')
    const routes = [
      ['POST', '/reports/production'],
      ['POST', '/reports/downtime'],
      ['POST', '/reports/alarm/instances'],
      ['PUT', '/machines/8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10'],
      ['PUT', '/schedules/early'],
      ['POST', '/ingest/samples'],
    ] as const
    for (const [method, path] of routes)
      for (const levels of [33, 4_500, 8_000]) {
        const { status } = await api.call(method, path, undefined, { raw: nested(levels), headers: json })
        assert.equal(status, 400, `${method} ${path}, ${levels} levels`)
      }
  })

  it('A body with too many elements, keys or values, or with a text or key that is too long, is rejected', async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]))
    assert.include(await messageOf(JSON.stringify(Array(51).fill(0))), 'at most 50 elements')
    assert.include(await messageOf(JSON.stringify(keys(1_001))), 'at most 200 values')
    assert.include(await messageOf(JSON.stringify({ a: Array(5).fill(Array(45).fill(0)) })), 'at most 200 values')
    assert.include(await messageOf(JSON.stringify({ ['k'.repeat(1_025)]: 0 })), 'a key must have at most 1024 bytes')
  })

  it('A body that exceeds its limit after decompression is rejected', async () => {
    const raw = gzipSync(JSON.stringify({ companyName: 'x'.repeat(100_001) }))
    assert.equal((await put(raw, { 'content-encoding': 'gzip' })).status, 413)
  })

  it('Only UTF-8 and ASCII bodies are accepted', async () => {
    const raw = Buffer.from('{"startOfDay":"06:00"}', 'utf16le')
    assert.equal((await put(raw, { 'content-type': 'application/json; charset=utf-16le' })).status, 415)
    const plain = '{"startOfDay":"06:00"}'
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'us-ascii'])
      assert.equal((await put(plain, { 'content-type': `application/json; charset=${charset}` })).status, 200, charset)
    assert.equal((await put(`\uFEFF${plain}`)).status, 200)
  })

  it('Requests without a key have a lower limit of bytes and elements', async () => {
    const body = { email: 'a@b.example', password: 'x'.repeat(20_000) }
    assert.equal((await api.call('POST', '/session', body, { key: null })).status, 413)
    const zeros = `[${'0,'.repeat(8_000)}0]`
    const deep = await api.call('POST', '/session', undefined, { raw: zeros, key: null, headers: json })
    assert.equal(deep.status, 400)
  })
})

describe('HTTP: limits of samples', () => {
  let api: TestApi
  before(async () => {
    const { samples, ...rest } = { samples: 1_000, ...defaultJsonBounds }
    api = await startApi({ settings: { ingest: { ...rest, bytes: 40_000_000, elements: samples, values: 16_000 } } })
  })
  after(() => api.close())

  const post = (raw: string | Buffer, headers = {}) =>
    api.call('POST', '/ingest/samples', undefined, { raw, headers: { ...json, ...headers } })

  it('An array, a batch or lines of too many samples are rejected', async () => {
    for (const raw of [
      `[${'{},'.repeat(1_000)}{}]`,
      `{"samples":[${'{},'.repeat(1_000)}{}]}`,
      '{}\n'.repeat(1_001),
      '1\n'.repeat(1_001),
    ]) {
      const answer = await post(raw)
      assert.equal(answer.status, 400)
      assert.deepEqual(faultsOf(answer), ['body OutOfRange'])
    }
    assert.equal((await post('\n'.repeat(1_000_000))).status, 400)
  })

  it('11 million empty objects in 32 kB of gzip are rejected', async () => {
    const raw = gzipSync(Buffer.from(`[${'{},'.repeat(11_000_000)}{}]`), { level: 9 })
    assert.isBelow(raw.length, 40_000)
    const answer = await post(raw, { 'content-encoding': 'gzip' })
    assert.equal(answer.status, 400)
    assert.deepEqual(faultsOf(answer), ['body OutOfRange'])
  })

  it('The first hundred rejected samples are listed, and all are counted', async () => {
    const body = Array.from({ length: 203 }, (_, index) => (index < 150 ? {} : { key: index }))
    const answer = await api.call('POST', '/ingest/samples', body)
    assert.equal(answer.status, 202)
    const { accepted, rejected, rejectedCount, rejectedByCode } = shaped<IngestResponse>(answer)
    assert.deepEqual([accepted, rejected.length, rejectedCount], [0, 100, 203])
    assert.deepEqual(rejectedByCode, { invalid_sample: 203 })
    assert.deepEqual([rejected[0]?.index, rejected[99]?.index], [0, 99])
  })
})

describe('HTTP: limits of requests', () => {
  let api: TestApi
  before(async () => (api = await startApi({ settings: { headers: 20, queryParameters: 10 } })))
  after(() => api.close())

  it('Too many headers and too many query parameters are rejected', async () => {
    const headers = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, '1']))
    assert.equal((await api.call('GET', '/machines', undefined, { headers, unchecked: true })).status, 431)
    const query = (count: number) => Array.from({ length: count }, (_, i) => `a${i}=1`).join('&')
    assert.equal((await api.call('GET', `/machines?${query(10)}`)).status, 200)
    const answer = await api.call('GET', `/machines?${query(11)}`)
    assert.equal(answer.status, 400)
    assert.deepEqual(faultsOf(answer), ['query OutOfRange'])
  })
})
