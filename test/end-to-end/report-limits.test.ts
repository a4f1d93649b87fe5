import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { startService, testKey, type TestService } from '../support/service.ts'

const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
const request = { ...range, data: [{ metric: 'allTime' }], groupBy: [{ group: 'machine' }] }
const nowMs = Date.parse('2026-03-03T12:00:00.000Z')

describe('limits of reports', function () {
  let service: TestService
  afterEach(() => service.stop())

  const start = async (env: Readonly<Record<string, string>>) => {
    service = await startService({ nowMs, env })
    for (let i = 0; i < 3; i++)
      await service.call('PUT', `/machines/${randomUUID()}`, { name: `M${i}`, commissionedAt: '2026-03-01T00:00:00Z' })
    await service.settled()
  }

  for (const name of ['TAKT_QUERY_MAX_ROWS', 'TAKT_QUERY_MAX_ROWS_READ']) {
    it(`A report beyond ${name} is rejected with 400 and OutOfRange`, async () => {
      await start({ [name]: '1' })
      const { status, body } = await service.call('POST', '/reports/production', request)
      assert.equal(status, 400)
      assert.nestedPropertyVal(body, 'errors[0].code', 'OutOfRange')
    })
  }

  it('TAKT_QUERY_MAX_ROWS_READ also limits downtime, quality and alarm reports', async () => {
    await start({ TAKT_QUERY_MAX_ROWS_READ: '1' })
    for (const report of ['downtime', 'quality', 'alarm']) {
      const { status, body } = await service.call('POST', `/reports/${report}`, {
        ...range,
        data: [{ metric: 'durationMs' }],
      })
      assert.equal(status, 400, report)
      assert.nestedPropertyVal(body, 'errors[0].code', 'OutOfRange')
    }
  })

  it('A report beyond TAKT_QUERY_MAX_MEMORY fails without affecting other queries', async () => {
    await start({ TAKT_QUERY_MAX_MEMORY: '1000000' })
    const { status } = await service.call('POST', '/reports/production', request)
    assert.oneOf(status, [200, 400])
    assert.equal((await service.call('GET', '/health')).status, 200)
  })

  it('Reports beyond TAKT_REPORT_CONCURRENCY are rejected with 429 and Retry-After', async () => {
    await start({ TAKT_REPORT_CONCURRENCY: '1' })
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(request) }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${service.url}/reports/production`, init)),
    )
    for (const answer of answers) {
      assert.oneOf(answer.status, [200, 429])
      if (answer.status === 429) assert.equal(answer.headers.get('retry-after'), '1')
      await answer.text()
    }
    assert.isTrue(answers.some(({ status }) => status === 200))
    assert.equal((await service.call('POST', '/reports/production', request)).status, 200)
  })
})
