import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { parseGetMetrics } from '../../api/live/parse.ts'
import { liveTimelineRequest } from '../../api/live/timeline/request.ts'
import { parseAlarmInstances } from '../../api/reports/alarm-instances/plan.ts'
import { parseCycleTimes } from '../../api/reports/cycle-times/request.ts'
import { parseAlarm, parseByReason, parseIncident, parseProduction } from '../../api/reports/request/parse.ts'
import { readSample } from '../../ingest/decode/fields.ts'
import { type TestAnswer, type TestApi, shaped, startApi } from '../support/api.ts'
import { asMachineRef } from '../../schema/refs.ts'

const instant = '2026-03-02T08:00:00.000Z'
/** Every text denotes `instant`. */
const taken = [
  instant,
  '2026-03-02T08:00:00Z',
  '2026-03-02T08:00Z',
  '2026-03-02T08:00:00',
  '2026-03-02t08:00:00z',
  '2026-03-02 08:00:00Z',
  '2026-03-02 08:00:00.000+00:00',
  '2026-03-02T10:00:00+02:00',
  '2026-03-02T10:00:00+0200',
  '2026-03-02T10:00:00+02',
  '2026-03-02T08:00:00,0000000000Z',
  '2026-03-02T08:00:00.0009999999Z',
  '20260302T080000Z',
]
const refused = ['2026-03-02', 'now', '2026-02-30T08:00:00Z', '2026-03-02T25:00:00Z', '2026-03-02T08:60:00Z']
const later = '2026-03-02T09:00:00.000Z'
const machineId = randomUUID()

/** Places that also accept a date without a time. */
const acceptsDates = new Set(['PUT /job-operations/:id dueAt'])

/** Reads the text as the place does; returns the instant if the place shows it, otherwise `taken`. null: it is rejected. */
type Place = (api: TestApi, text: string) => Promise<string | null>

const report =
  (parse: (body: unknown) => unknown, body: object = {}): Place =>
  async (_, text) => {
    try {
      const request = parse({ start: text, end: later, ...body })
      return JSON.stringify(request).includes(String(Date.parse(instant))) ? instant : 'another instant'
    } catch {
      return null
    }
  }

const posted =
  (method: string, path: () => string, field: string, body: object = {}): Place =>
  async (api, text) => {
    const answer = await api.call(method, path(), { ...body, [field]: text })
    return answer.status === 400 ? null : shownOr(answer, field)
  }

const queried =
  (path: string): Place =>
  async (api, text) => {
    const query = new URLSearchParams({ start: text, end: later })
    return (await api.call('GET', `${path}?${query.toString()}`)).status === 400 ? null : 'taken'
  }

function shownOr(answer: TestAnswer, field: string): string {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const shown = answer.body === null ? undefined : shaped<Record<string, string>>(answer)[field]
  return shown ?? 'taken'
}

const run = { erpMachineId: 'M', jobName: 'J' }
const places: Readonly<Record<string, Place>> = {
  'POST /reports/production': report(parseProduction, { data: [{ metric: 'oee' }] }),
  'POST /reports/production/explanation': report(parseProduction, { data: [{ metric: 'oee' }] }),
  'POST /reports/downtime': report(body => parseByReason('downtime', body)),
  'POST /reports/quality': report(body => parseByReason('quality', body)),
  'POST /reports/alarm': report(parseAlarm, { data: [{ metric: 'recordCount' }] }),
  'POST /reports/incident': report(parseIncident),
  'POST /reports/cycle-times': report(parseCycleTimes, { jobOperation: 'J' }),
  'POST /reports/alarm/instances': report(parseAlarmInstances, { end: undefined }),
  'PUT /machines/:id commissionedAt': posted('PUT', () => `/machines/${randomUUID()}`, 'commissionedAt', { name: 'm' }),
  'PUT /machines/:id decommissionedAt': posted('PUT', () => `/machines/${randomUUID()}`, 'decommissionedAt', {
    name: 'm',
  }),
  'POST /annotations': posted('POST', () => '/annotations', 'startAt', { machineId, reasonId: 1 }),
  'POST /operator-runs': posted('POST', () => '/operator-runs', 'startAt', { machineId, operatorId: 'ann' }),
  'POST /part-adjustment': posted('POST', () => '/part-adjustment', 'adjustmenttime', { machine_id: machineId }),
  'PUT /job-operations/:id dueAt': posted('PUT', () => '/job-operations/due', 'dueAt', { jobName: 'due' }),
  'PUT /job-operations/:id archivedAt': posted('PUT', () => '/job-operations/old', 'archivedAt', { jobName: 'old' }),
  'POST /erp/jobdispatch/start': async (api, text) => {
    const erpJobOperationRunId = randomUUID()
    const answer = await api.call('POST', '/erp/jobdispatch/start', { ...run, erpJobOperationRunId, startAt: text })
    if (answer.status === 400) return null
    return shownOr(await api.call('GET', `/erp/jobdispatch/${erpJobOperationRunId}`), 'startAt')
  },
  'GET /annotations': queried('/annotations'),
  'GET /operator-runs': queried('/operator-runs'),
  'GET /part-adjustments': queried('/part-adjustments'),
  'GET /audit': queried('/audit'),
  'get_metrics of the timeline channel': async (_, text) => {
    const asked = { machineId, startAt: text, endAt: later, metrics: [{ key: 'Load' }] }
    try {
      return new Date(
        liveTimelineRequest(parseGetMetrics(asked), { days: 30, samples: 1 }, Date.parse(later)).fromMs,
      ).toISOString()
    } catch {
      return null
    }
  },
  'samples.v1, POST /ingest/samples': async (_, text) => {
    const read = readSample({ timestamp: text, key: 'k', type: 'EXECUTION', value: 'ACTIVE' }, asMachineRef(1))
    return 'atUs' in read ? new Date(Math.floor(read.atUs / 1000)).toISOString() : null
  },
}

describe('instants', () => {
  let api: TestApi
  before(async () => {
    api = await startApi()
    await api.call('PUT', `/machines/${machineId}`, { name: 'M', erpMachineId: 'M' })
    await api.call('PUT', '/operators/ann', { name: 'Ann' })
    await api.call('POST', '/downtime-reasons', { name: 'Tool change' })
  })
  after(() => api.close())

  for (const [name, place] of Object.entries(places))
    it(`An instant has the same accepted forms in ${name} as elsewhere`, async () => {
      for (const text of taken) {
        const shown = await place(api, text)
        assert.isNotNull(shown, `${text} was refused`)
        if (shown !== 'taken') assert.equal(shown, instant, text)
      }
      for (const text of acceptsDates.has(name) ? refused.slice(1) : refused)
        assert.isNull(await place(api, text), text)
    })
})
