import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { hashKey } from '../../../api/auth/key.ts'
import type { RunTime } from '../../../api/reports/production-totals.ts'
import type { JobOperationResponse } from '../../../schema/records/job-operation.ts'
import { faultsOf, shaped, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'

describe('routes of job operations', () => {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  const list = async (query = ''): Promise<string[]> =>
    shaped<JobOperationResponse[]>(await api.call('GET', `/job-operations${query}`)).map(({ id }) => id)

  it('PUT /job-operations/:id creates and replaces a job operation', async () => {
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'A' })
    const body = {
      jobName: 'J',
      partName: 'P',
      dueAt: '2026-03-02T08:00:00+01:00',
      idealPartTime: 1000.5,
      workCenters: [{ machineId: machineId.toUpperCase(), expectedPartTime: 7 }],
      thresholds: { oeeWarning: 0.5, oeeFailure: null },
    }
    const none = { expectedSetupTime: null, idealPartTime: null, expectedPartTime: null, partCountMultiplier: null }
    const expected = {
      ...none,
      ...body,
      id: 'j',
      lotName: '',
      operationName: '',
      description: null,
      dueAt: '2026-03-02T07:00:00.000Z',
      partValue: null,
      quantityRequired: null,
      workCenters: [{ ...none, machineId, machineGroupId: null, expectedPartTime: 7 }],
      thresholds: { oeeWarning: 0.5 },
      archivedAt: null,
    }
    for (const again of [1, 2])
      assert.deepEqual((await api.call('PUT', '/job-operations/j', body)).body, expected, `${again}`)
    assert.deepEqual((await api.call('GET', '/job-operations/j')).body, expected)
    assert.deepEqual((await api.call('GET', '/job-operations')).body, [expected])
    assert.isNull((await api.call('DELETE', '/job-operations/j')).body)
    assert.equal((await api.call('GET', '/job-operations/j')).status, 404)
  })

  it('GET /job-operations filters by name and archive state, and returns pages', async () => {
    for (const [id, jobName, partName, archivedAt] of [
      ['a', 'J1', 'P1', null],
      ['b', 'J1', 'P2', '2026-03-02T08:00:00Z'],
      ['c', 'J2', 'P1', null],
    ])
      await api.call('PUT', `/job-operations/${id}`, { jobName, partName, archivedAt })
    assert.deepEqual(await list(), ['a', 'b', 'c'])
    assert.deepEqual(await list('?jobName=J1'), ['a', 'b'])
    assert.deepEqual(await list('?partName=P1&archived=false'), ['a', 'c'])
    assert.deepEqual(await list('?archived=true'), ['b'])
    assert.deepEqual(await list('?limit=2'), ['a', 'b'])
    assert.deepEqual(await list('?limit=2&after=b'), ['c'])
    assert.deepEqual(faultsOf(await api.call('GET', '/job-operations?after=x')), ['after InvalidDataItem'])
  })

  it('PUT /job-operations/:id lists every field error', async () => {
    const workCenters = [{ machineGroupId: 'x' }, {}]
    const answer = await api.call('PUT', '/job-operations/none', { idealPartTime: -1, workCenters })
    assert.includeMembers(faultsOf(answer), ['id InvalidDataItem', 'jobName Required', 'idealPartTime OutOfRange'])
    const unknown = await api.call('PUT', '/job-operations/x', { jobName: 'J', dueAt: 'x', workCenters })
    assert.sameMembers(faultsOf(unknown), [
      'dueAt InvalidDate',
      'workCenters[0].machineGroupId InvalidDataItem',
      'workCenters[1] Required',
    ])
  })

  it('A due date without a time means 00:00 of that day in the time zone of the company', async () => {
    await api.call('PUT', `/machines/${randomUUID()}`, { name: 'A', erpMachineId: 'WC-1' })
    const dueAtOf = async (timeZone: string, dueAt: string): Promise<unknown> => {
      await api.call('PUT', '/settings', { timeZone })
      const answer = await api.call('PUT', '/job-operations/j', { jobName: 'J', dueAt })
      const start = { erpJobOperationRunId: randomUUID(), erpMachineId: 'WC-1', jobName: randomUUID(), dueAt }
      assert.equal((await api.call('POST', '/erp/jobdispatch/start', start)).status, answer.status)
      if (answer.status !== 200) return faultsOf(answer)
      const started = api.registrar.records.list('jobOperation', api.registrar.company.id).at(-1)
      assert.equal(started?.dueAt, shaped<{ dueAt: string }>(answer).dueAt)
      return started?.dueAt
    }
    const expected = [
      ['UTC', '2026-04-01', '2026-04-01T00:00:00.000Z'],
      ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
      ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
      ['America/Chicago', '2028-02-29', '2028-02-29T06:00:00.000Z'],
      ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
      ['Europe/Berlin', '2026-03-29T00:00:00', '2026-03-29T00:00:00.000Z'],
    ] as const
    for (const [timeZone, dueAt, instant] of expected) assert.equal(await dueAtOf(timeZone, dueAt), instant, dueAt)
    for (const dueAt of ['2026-02-30', '1970-01-01', '2026-04', '20260401', ''])
      assert.deepEqual(await dueAtOf('Europe/Berlin', dueAt), ['dueAt InvalidDate'], dueAt)
  })

  it('A job operation that has run cannot be deleted', async () => {
    await api.call('PUT', `/machines/${randomUUID()}`, { name: 'A', erpMachineId: 'WC-1' })
    await api.call('PUT', '/job-operations/j', { jobName: 'J' })
    const start = { erpJobOperationRunId: 'r1', erpMachineId: 'WC-1', jobName: 'J' }
    assert.isNull((await api.call('POST', '/erp/jobdispatch/start', start)).body)
    const { status, body } = await api.call('DELETE', '/job-operations/j')
    assert.equal(status, 409)
    assert.nestedPropertyVal(body, 'message', 'In use by 1 job run: r1; archive it instead')
  })
})

describe('routes of job dispatch', () => {
  let api: TestApi
  let asked: RunTime[]
  let machineId: string
  const metrics = { totalParts: 9, goodParts: 6, scrapParts: 2, nonconformParts: 1 }
  const nothing = { totalParts: 0, goodParts: 0, scrapParts: 0, nonconformParts: 0 }
  beforeEach(async () => {
    asked = []
    api = await startApi({
      jobRunParts: async ({ companyId, machineId, startMs, endMs }) => {
        asked.push({ companyId, machineId, startMs, endMs })
        return metrics
      },
    })
    machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'A', erpMachineId: 'WC-1' })
  })
  afterEach(() => api.close())

  const start = (id: string, startAt: string | null, more: object = {}): Promise<TestAnswer> =>
    api.call('POST', '/erp/jobdispatch/start', {
      erpJobOperationRunId: id,
      erpMachineId: 'WC-1',
      jobName: 'J',
      startAt,
      ...more,
    })
  const stop = (id: string, endAt?: string): Promise<TestAnswer> =>
    api.call('POST', '/erp/jobdispatch/stop', { erpJobOperationRunId: id, endAt })
  const get = (id: string): Promise<TestAnswer> => api.call('GET', `/erp/jobdispatch/${encodeURIComponent(id)}`)

  it('An ERP can start, get and stop a run, with null as the response of commands', async () => {
    const id = 'RUN 7/20'
    for (const again of [1, 2]) {
      const started = await start(id, '2026-03-02T08:00:00Z', { lotName: null, partName: 'P', partValue: 1.5 })
      assert.deepEqual([started.status, started.body], [200, null], `${again}`)
    }
    const running = { startAt: '2026-03-02T08:00:00.000Z', endAt: null, metrics }
    assert.deepEqual((await get(id)).body, running)
    assert.deepEqual((await api.call('GET', '/erp/jobdispatch?erpRunId=RUN%207%2F20')).body, running)
    const stopped = await stop(id, '2026-03-02T09:00:00Z')
    assert.deepEqual([stopped.status, stopped.body], [200, null])
    assert.deepEqual((await get(id)).body, { ...running, endAt: '2026-03-02T09:00:00.000Z' })
    const { id: companyId } = api.registrar.company
    const [startMs, endMs] = [Date.parse('2026-03-02T08:00:00Z'), Date.parse('2026-03-02T09:00:00Z')]
    assert.deepEqual(asked, [
      { companyId, machineId, startMs, endMs: Infinity },
      { companyId, machineId, startMs, endMs: Infinity },
      { companyId, machineId, startMs, endMs },
    ])
    assert.equal((await start(id, '2026-03-02T08:00:00Z')).status, 200, 'told again')
    assert.deepEqual(faultsOf(await start(id, '2026-03-02T10:00:00Z')), ['startAt InvalidDataItem'])
  })

  it('A job run ends when the next one starts, and a run without duration counts as never started', async () => {
    await start('r1', '2026-03-02T08:00:00Z')
    await start('r2', '2026-03-02T09:00:00Z', { startInSetup: true })
    assert.nestedPropertyVal((await get('r1')).body, 'endAt', '2026-03-02T09:00:00.000Z')
    await stop('r2', '2026-03-02T09:00:00Z')
    const startAt = '2026-03-02T09:00:00.000Z'
    assert.deepEqual((await get('r2')).body, { startAt, endAt: startAt, metrics: nothing })
    assert.nestedPropertyVal((await get('r1')).body, 'endAt', null)
    await start('r3', '2026-03-02T08:00:00Z')
    const first = '2026-03-02T08:00:00.000Z'
    assert.deepEqual((await get('r1')).body, { startAt: first, endAt: first, metrics: nothing }, 'r3 stands')
  })

  it('A job run in progress has no end, even if a later run is planned', async () => {
    const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    await start('r1', '2026-03-02T08:00:00Z')
    await start('r2', later(24))
    assert.nestedPropertyVal((await get('r1')).body, 'endAt', null)
    await stop('r1', later(1))
    assert.nestedPropertyVal((await get('r1')).body, 'endAt', null)
    await stop('r1', '2026-03-02T09:00:00Z')
    assert.nestedPropertyVal((await get('r1')).body, 'endAt', '2026-03-02T09:00:00.000Z')
  })

  it('The start of production of a job run is recorded, and rejected if it is before the start of the run', async () => {
    await start('r1', '2026-03-02T08:00:00Z', { startInSetup: true })
    const production = (productionAt: string) =>
      api.call('POST', '/erp/jobdispatch/production', { erpJobOperationRunId: 'r1', productionAt })
    assert.isNull((await production('2026-03-02T08:30:00Z')).body)
    assert.equal(
      api.registrar.records.get('jobRun', api.registrar.company.id, 'r1')?.productionAt,
      '2026-03-02T08:30:00.000Z',
    )
    assert.deepEqual(faultsOf(await production('2026-03-02T07:30:00Z')), ['productionAt InvalidRange'])
    assert.deepEqual(faultsOf(await stop('r1', '2026-03-02T07:30:00Z')), ['endAt InvalidRange'])
  })

  it('In job dispatch, an unknown machine or run receives 404, and an invalid request 400 with every error', async () => {
    assert.equal((await start('r1', null, { erpMachineId: 'WC-9' })).status, 404)
    assert.equal((await stop('r1')).status, 404)
    assert.equal((await get('r1')).status, 404)
    assert.equal((await api.call('GET', '/erp/jobdispatch?erpRunId=r1')).status, 404)
    assert.deepEqual(faultsOf(await api.call('GET', '/erp/jobdispatch')), ['erpRunId Required'])
    const wrong = { erpMachineId: {}, jobName: '', startInSetup: 'yes', startAt: '2026-02-30T00:00:00Z', dueAt: {} }
    assert.sameMembers(faultsOf(await api.call('POST', '/erp/jobdispatch/start', wrong)), [
      'erpJobOperationRunId Required',
      'erpMachineId InvalidType',
      'jobName InvalidDataItem',
      'startInSetup InvalidType',
      'startAt InvalidDate',
      'dueAt InvalidType',
    ])
    assert.deepEqual(faultsOf(await api.call('POST', '/erp/jobdispatch/stop', {})), ['erpJobOperationRunId Required'])
  })

  it('Job dispatch needs the scope erp, and reading needs erp.read', async () => {
    await start('r1', null)
    const reader = api.addKey(['erp.read'])
    assert.equal((await api.call('GET', '/erp/jobdispatch/r1', undefined, { key: reader })).status, 200)
    const stopping = { erpJobOperationRunId: 'r1' }
    assert.equal((await api.call('POST', '/erp/jobdispatch/stop', stopping, { key: reader })).status, 403)
    const other = 'the admin key of quite another company'
    api.registrar.addCompany('Other', hashKey(other))
    assert.equal((await api.call('GET', '/erp/jobdispatch/r1', undefined, { key: other })).status, 404)
    assert.equal((await api.call('POST', '/erp/jobdispatch/stop', stopping, { key: other })).status, 404)
  })
})
