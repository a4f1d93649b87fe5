import { assert } from 'chai'
import { validationError } from '../../../schema/errors.ts'
import { startApi, type TestApi } from '../../support/api.ts'

const reports = ['production', 'downtime', 'quality', 'alarm', 'alarm/instances', 'incident', 'cycle-times'] as const

describe('routes of reports', () => {
  let api: TestApi
  afterEach(() => api.close())

  for (const report of reports) {
    it(`POST /reports/${report} needs the scope reporting`, async () => {
      api = await startApi()
      assert.equal((await api.call('POST', `/reports/${report}`, {}, { key: api.addKey(['machine']) })).status, 403)
      const answer = await api.call('POST', `/reports/${report}`, {}, { key: api.addKey(['reporting']) })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('takt-lag-ms'), '0')
    })
  }

  it('The field errors of a report are returned unchanged', async () => {
    const faults = [{ field: 'reject', code: 'InvalidFilter', message: "Reject 'x' is not valid" }]
    const refuse = () => Promise.reject(validationError(faults))
    api = await startApi({ downtime: refuse, quality: refuse, alarm: refuse, incident: refuse })
    for (const report of ['downtime', 'quality', 'alarm', 'incident']) {
      const { status, body } = await api.call('POST', `/reports/${report}`, {})
      assert.equal(status, 400)
      assert.deepEqual(body, { code: 'ValidationError', message: 'Validation Error', errors: faults })
    }
  })

  it('The path of a report file becomes an absolute URL', async () => {
    const csv = { url: '/csv/downtime/17', expires: '2026-03-04T00:00:00.000Z' }
    const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
    const aggregate = { downtimeMs: 0, recordCount: 0 }
    const body = { range, csv, aggregate, entities: {}, items: [] }
    api = await startApi({ downtime: async () => body })
    const answer = await api.call('POST', '/reports/downtime', {})
    assert.nestedPropertyVal(answer.body, 'csv.url', `${api.url}/csv/downtime/17`)
  })
})
