import { assert } from 'chai'
import { openApiDocument } from '../../../api/create-api.ts'
import type { ReportRunner } from '../../../api/reports/reports.ts'
import { healthy, startApi, type TestApi } from '../../support/api.ts'

describe('routes of the service', () => {
  let api: TestApi
  const requests: Parameters<ReportRunner>[] = []
  before(async () => {
    api = await startApi({
      lagMs: () => 12.4,
      production: async (...request) => {
        requests.push(request)
        const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
        return { range, aggregate: { oee: 0.5 }, entities: {}, items: [] }
      },
    })
  })
  after(() => api.close())

  it('/health returns the health of the service', async () => {
    assert.deepEqual((await api.call('GET', '/health', undefined, { key: null })).body, healthy)
  })

  it('/openapi.json returns the OpenAPI document', async () => {
    assert.deepEqual((await api.call('GET', '/openapi.json')).body, JSON.parse(JSON.stringify(openApiDocument())))
  })

  it('/metrics counts requests by route, not by path', async () => {
    await api.call('GET', '/machines/8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10')
    const { body } = await api.call('GET', '/metrics', undefined, { key: null })
    assert.include(String(body), 'route="/machines/:id",status="404"')
    assert.notInclude(String(body), '8a1c1f3e')
  })

  it('/reports/production receives company and body, and returns the lag in a header', async () => {
    const body = { data: [{ metric: 'oee' }], startDay: '2026-03-02', endDay: '2026-03-02' }
    const { status, headers, body: answer } = await api.call('POST', '/reports/production', body)
    assert.equal(status, 200)
    assert.equal(headers.get('takt-lag-ms'), '12')
    assert.nestedPropertyVal(answer, 'aggregate.oee', 0.5)
    assert.deepEqual(requests.at(-1)?.slice(0, 2), [api.registrar.company.id, body])
    const key = api.addKey(['machine'])
    assert.equal((await api.call('POST', '/reports/production', body, { key })).status, 403)
  })

  it('The page at / loads nothing from other hosts', async () => {
    const { contentType, headers, body } = await api.call('GET', '/', undefined, { key: null, unchecked: true })
    assert.match(contentType ?? '', /^text\/html/)
    assert.include(headers.get('content-security-policy') ?? '', "default-src 'none'")
    assert.notMatch(String(body), /(src|href)="(https?:)?\/\//)
    assert.notMatch(String(body), /<script(?![^>]*src=)|style=|<style| on\w+=/)
  })
})
