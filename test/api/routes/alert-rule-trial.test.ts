import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { hashKey } from '../../../api/auth/key.ts'
import type { RuleTrialRequest } from '../../../api/reports/rule-trial.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'

const rule = { name: 'Stop', severity: 'info' as const, condition: { stop: { reasons: [] } } }
const range = { start: '2026-03-02T00:00:00Z', end: '2026-03-09T00:00:00Z' }
const at = (minute: number) => new Date(Date.UTC(2026, 2, 7) + minute * 60_000).toISOString()

describe('route of trials of alert rules', () => {
  let api: TestApi
  let tried: (RuleTrialRequest & { readonly companyId: string })[]
  beforeEach(async () => {
    tried = []
    api = await startApi({
      tryRule: async (companyId, request) => {
        tried.push({ ...request, companyId })
        return { incidents: [], hasMore: false, untriedMachines: 3 }
      },
    })
  })
  afterEach(() => api.close())
  const tryRule = (body: object) => api.call('POST', '/alert-rules/try', { rule, ...range, ...body })

  it('The rule gets its defaults, and is not stored', async () => {
    const answer = await tryRule({})
    assert.deepEqual([answer.status, answer.body], [200, { incidents: [], hasMore: false, untriedMachines: 3 }])
    const [request] = tried
    assert.deepInclude(request?.rule, { ...rule, forMs: 0, steps: [], quietMs: 0 })
    assert.deepEqual(request?.range, { startMs: Date.UTC(2026, 2, 2), endMs: Date.UTC(2026, 2, 9) })
    assert.equal(request?.companyId, api.registrar.company.id)
    assert.deepEqual((await api.call('GET', '/alert-rules')).body, [])
  })

  it('A stored rule, as it is listed, can be tried', async () => {
    const { body } = await api.call('PUT', '/alert-rules/r', rule)
    assert.equal((await tryRule({ rule: body })).status, 200)
  })

  it('Rules that could not be stored, and ranges that are too long, are rejected', async () => {
    const faults = async (body: object) => faultsOf(await tryRule(body))
    const steps = [{ afterMs: 0, until: 'resolved', targets: ['none'] }]
    assert.deepEqual(await faults({ rule: { ...rule, steps } }), ['rule.steps[0].targets[0] InvalidDataItem'])
    assert.deepEqual(await faults({ rule: { ...rule, subject: { machineIds: [randomUUID()] } } }), [
      'rule.subject.machineIds[0] InvalidDataItem',
    ])
    assert.deepEqual(await faults({ rule: { ...rule, condition: { silent: true } } }), ['rule.forMs OutOfRange'])
    assert.deepEqual(await faults({ rule: { ...rule, forMs: -1 } }), ['rule.forMs OutOfRange'])
    assert.deepEqual(await faults({ start: range.end, end: range.start }), ['start InvalidRange'])
    assert.deepEqual(await faults({ end: '2026-04-02T00:00:00.001Z' }), ['start OutOfRange'])
    assert.equal((await tryRule({ end: '2026-04-02T00:00:00Z' })).status, 200)
  })

  it('Conditions that no document or sample decides are rejected', async () => {
    for (const condition of [{ call: [] }, { connector: 'disconnected' }, { system: 'lag' }])
      assert.deepEqual(faultsOf(await tryRule({ rule: { ...rule, condition } })), ['rule.condition InvalidDataItem'])
    assert.equal((await tryRule({ rule: { ...rule, condition: { silent: true }, forMs: 60_000 } })).status, 200)
  })

  it('Machines and targets of another company are unknown', async () => {
    const key = 'another key that is long enough to be one'
    api.registrar.addCompany('Other', hashKey(key))
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' }, { key })
    const body = { rule: { ...rule, subject: { machineIds: [machineId] } }, ...range }
    assert.equal((await api.call('POST', '/alert-rules/try', body)).status, 400)
    assert.equal((await api.call('POST', '/alert-rules/try', body, { key })).status, 200)
  })
})

describe('route of gaps of the evaluation', () => {
  it('Gaps are listed by start, and those that overlap a range', async () => {
    const api = await startApi()
    const gap = (start: number, end: number) => ({ startAt: at(start), endAt: at(end) })
    const store = (partition: number, gaps: readonly ReturnType<typeof gap>[]) => {
      const id = `state-samples/${partition}`
      const after = { id, evaluatedTo: at(100), gaps: [...gaps] }
      api.registrar.apply([{ kind: 'alertEvaluation', id, before: null, after }])
    }
    store(11, [gap(0, 10), gap(20, 30)])
    store(2, [gap(0, 5), gap(15, 20)])
    const list = async (query = '') => (await api.call('GET', `/alert-gaps${query}`)).body
    const all = [
      { partition: 2, ...gap(0, 5) },
      { partition: 11, ...gap(0, 10) },
      { partition: 2, ...gap(15, 20) },
      { partition: 11, ...gap(20, 30) },
    ]
    assert.deepEqual(await list(), all)
    assert.deepEqual(await list(`?start=${at(5)}`), all.slice(1))
    assert.deepEqual(await list(`?start=${at(10)}&end=${at(20)}`), all.slice(2, 3))
    assert.deepEqual(faultsOf(await api.call('GET', `/alert-gaps?start=${at(5)}&end=${at(5)}`)), ['start InvalidRange'])
    await api.close()
  })
})
