import { request as open, type ClientRequest } from 'node:http'
import { once } from 'node:events'
import { expect } from 'chai'
import { defaultJsonBounds } from '../../../shared/json/bounds.ts'
import { startApi, type TestApi } from '../../support/api.ts'

describe('HTTP: bodies under way', () => {
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

  it('have a budget together: beyond it they are refused before they are read, and taken again later', async () => {
    const half: ClientRequest = open(`${api.url}/ingest/samples`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-length': 15_000, 'content-type': 'application/json' },
    })
    half.on('error', () => undefined)
    half.write('[')
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
})
