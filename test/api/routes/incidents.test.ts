import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as fc from 'fast-check'
import { hashKey } from '../../../api/auth/key.ts'
import { type Store, StoreError } from '../../../clickhouse/client/store.ts'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { faultsOf, startApi, type TestApi } from '../../support/api.ts'
import { exampleIncident } from '../../support/alerting/example-incident.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 7) + minute * 60_000).toISOString()
const machines = [randomUUID(), randomUUID()]

const anyIncident: fc.Arbitrary<IncidentRecord> = fc
  .record({
    start: fc.integer({ min: 0, max: 20 }),
    length: fc.option(fc.integer({ min: 1, max: 20 })),
    state: fc.constantFrom('open', 'acknowledged', 'resolved', 'retracted'),
    kind: fc.constantFrom('stop', 'alarm', 'call'),
    severity: fc.constantFrom('info', 'warning', 'critical'),
    machine: fc.constantFrom(...machines),
    ruleId: fc.constantFrom(null, 'a', 'b'),
  } as const)
  .map(({ start, length, state, kind, severity, machine, ruleId }) =>
    exampleIncident({
      id: randomUUID(),
      ruleId,
      ruleName: ruleId,
      kind,
      severity,
      subject: { type: 'machine', id: machine, name: 'Lathe' },
      state,
      startedAt: at(start),
      openedAt: at(start),
      endedAt: length === null ? null : at(start + length),
      detectedAt: at(40 - start),
      comments: [{ at: at(50), by: { kind: 'key', id: 'k', name: 'Key' }, text: 'Long' }],
    }),
  )

const someOf = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined })
const anyQuery = fc.record({
  // Pages of unresolved incidents are read from memory, others from the store.
  state: fc.oneof(someOf(['open', 'acknowledged', 'resolved', 'retracted']), someOf(['open', 'acknowledged'])),
  kind: someOf(['stop', 'alarm', 'call', 'connector']),
  severity: someOf(['info', 'critical']),
  machineId: someOf([...machines, randomUUID()]),
  ruleId: someOf(['a', 'b', 'c']),
  start: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  end: fc.option(fc.integer({ min: 21, max: 45 }), { nil: undefined }),
  direction: fc.constantFrom('ASC', 'DESC', undefined),
  limit: fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
})
type Query = typeof anyQuery extends fc.Arbitrary<infer Value> ? Value : never

/** Ids of the incidents that a query selects, computed without the product. */
function naiveIds(all: readonly IncidentRecord[], query: Query): readonly string[] {
  const has = (values: readonly string[] | undefined, value: string | null) =>
    values === undefined || (value !== null && values.includes(value))
  const kept = all.filter(
    each =>
      (query.state ? has(query.state, each.state) : each.state !== 'retracted') &&
      has(query.kind, each.kind) &&
      has(query.severity, each.severity) &&
      has(query.machineId, each.subject.id) &&
      has(query.ruleId, each.ruleId) &&
      (query.start === undefined || each.endedAt === null || each.endedAt > at(query.start)) &&
      (query.end === undefined || each.startedAt < at(query.end)),
  )
  const oldestFirst = kept.toSorted((a, b) => (`${a.startedAt}${a.id}` < `${b.startedAt}${b.id}` ? -1 : 1))
  return (query.direction === 'ASC' ? oldestFirst : oldestFirst.toReversed()).map(({ id }) => id)
}

function addressOf({ start, end, ...query }: Query, startId?: string): string {
  const address = new URLSearchParams()
  const range = { start: start === undefined ? undefined : at(start), end: end === undefined ? undefined : at(end) }
  for (const [name, value] of Object.entries<readonly string[] | string | number | undefined>({
    ...query,
    ...range,
    startId,
  }))
    for (const each of [value].flat()) if (each !== undefined) address.append(name, String(each))
  return `/incidents?${address.toString()}`
}

describe('routes of incidents', () => {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  /** Stores incidents of the first company. */
  function store(incidents: readonly IncidentRecord[]) {
    const stored = incidents.map(each => ({ ...each, companyId: api.registrar.company.id }))
    api.registrar.apply(stored.map(after => ({ kind: 'incident', id: after.id, before: null, after })))
    return stored
  }
  const sample = (changes: Partial<IncidentRecord> = {}): IncidentRecord => ({
    ...(fc.sample(anyIncident, 1)[0] ?? assert.fail()),
    state: 'open',
    kind: 'stop',
    ...changes,
  })
  const idsOf = ({ body }: { readonly body: unknown }) => Array.from(Object(body), each => String(Object(each).id))
  const bodyOf = ({ body }: { readonly body: unknown }) => Object(body)

  it('A list contains what its filters select, in pages, in both directions, without notices and comments', async () => {
    const all = store(fc.sample(anyIncident, 60))
    await fc.assert(
      fc.asyncProperty(anyQuery, async query => {
        const expected = naiveIds(all, query)
        const found: string[] = []
        for (;;) {
          const page = await api.call('GET', addressOf(query, found.at(-1)))
          assert.equal(page.status, 200, JSON.stringify(page.body))
          for (const each of Array.from(Object(page.body))) assert.doesNotHaveAnyKeys(each, ['notices', 'comments'])
          found.push(...idsOf(page))
          if (idsOf(page).length < (query.limit ?? 200)) break
        }
        assert.deepEqual(found, expected)
      }),
      { numRuns: 60 },
    )
  })

  it('Unresolved incidents, which pages poll, are listed without the store', async () => {
    await api.close()
    const details = { code: 0, type: 'NETWORK', retryable: true, query: '' }
    const failing: unknown = { queryColumns: () => Promise.reject(new StoreError('No response', details)) }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other methods are not called
    api = await startApi({ store: failing as Store })
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    const { id } = bodyOf(await api.call('POST', '/calls', { machineId, kind: 'help' }))
    assert.deepEqual(idsOf(await api.call('GET', '/incidents?state=open&state=acknowledged')), [id])
    assert.equal((await api.call('GET', '/incidents')).status, 503)
  })

  it('Incidents of another company are not found', async () => {
    const key = 'another key that is long enough to be one'
    api.registrar.addCompany('Other', hashKey(key))
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' }, { key })
    const hidden = bodyOf(await api.call('POST', '/calls', { machineId, kind: 'help' }, { key }))
    assert.deepEqual(idsOf(await api.call('GET', '/incidents', undefined, { key })), [hidden.id])
    assert.deepEqual((await api.call('GET', '/incidents')).body, [])
    assert.deepEqual(faultsOf(await api.call('GET', `/incidents?startId=${hidden.id}`)), ['startId InvalidDataItem'])
    assert.equal((await api.call('GET', `/incidents/${hidden.id}`)).status, 404)
    for (const [action, body] of [
      ['acknowledge', undefined],
      ['resolve', undefined],
      ['assign', { userId: null }],
      ['comment', { text: 'x' }],
    ] as const)
      assert.equal((await api.call('POST', `/incidents/${hidden.id}/${action}`, body)).status, 404, action)
  })

  it('An operator acknowledges, assigns, comments and resolves, and sees no incident of a connector', async () => {
    const connector = sample({ kind: 'connector', subject: { type: 'connector', id: machines[0] ?? '', name: 'C' } })
    const [open, hidden] = store([sample(), connector])
    const { cookie, userId } = await api.signIn('operator')
    const call = (method: string, path: string, body?: unknown) => api.call(method, path, body, { cookie })
    assert.deepEqual(idsOf(await call('GET', '/incidents')), [open?.id])
    assert.deepEqual(idsOf(await call('GET', '/incidents?kind=connector')), [])
    assert.equal((await call('GET', `/incidents/${hidden?.id}`)).status, 404)
    assert.equal((await call('POST', `/incidents/${hidden?.id}/resolve`)).status, 404)
    assert.lengthOf(idsOf(await api.call('GET', '/incidents')), 2)
    assert.deepEqual(idsOf(await api.call('GET', `/incidents?machineId=${machines[0]}&machineId=${machines[1]}`)), [
      open?.id,
    ])

    const path = `/incidents/${open?.id}`
    const acknowledged = bodyOf(await call('POST', `${path}/acknowledge`))
    assert.deepInclude(acknowledged, { state: 'acknowledged' })
    assert.deepInclude(acknowledged.acknowledgedBy, { kind: 'user', id: userId })
    assert.deepEqual(bodyOf(await api.call('POST', `${path}/acknowledge`)), acknowledged)
    assert.equal(bodyOf(await call('POST', `${path}/assign`, { userId })).assignedTo, userId)
    assert.deepEqual(faultsOf(await call('POST', `${path}/assign`, { userId: randomUUID() })), [
      'userId InvalidDataItem',
    ])
    assert.equal(bodyOf(await call('POST', `${path}/comment`, { text: 'Belt' })).comments.at(-1).text, 'Belt')
    assert.deepInclude(bodyOf(await call('POST', `${path}/resolve`)), { state: 'resolved', cause: 'user' })
    assert.equal((await call('POST', `${path}/resolve`)).status, 409)
    assert.equal((await call('POST', `${path}/assign`, { userId: null })).status, 409)
    assert.equal((await call('POST', `${path}/comment`, { text: 'Later' })).status, 200)
    assert.deepEqual(bodyOf(await call('GET', path)).comments.length, 3)
  })

  it('An old incident, which only the store has, is shown and commented', async () => {
    await api.close()
    api = await startApi({ isWithoutHistory: true })
    const [old] = store([sample({ state: 'resolved', endedAt: at(30), resolvedAt: at(30), cause: 'condition' })])
    assert.equal(bodyOf(await api.call('GET', `/incidents/${old?.id}`)).state, 'resolved')
    assert.equal((await api.call('POST', `/incidents/${old?.id}/comment`, { text: 'Late' })).status, 200)
  })

  it('An operator calls, and the call is resolved', async () => {
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    const { cookie, userId } = await api.signIn('operator')
    const called = await api.call('POST', '/calls', { machineId, kind: 'help' }, { cookie })
    assert.deepInclude(bodyOf(called), { kind: 'call', state: 'open', detail: { call: { kind: 'help', note: '' } } })
    const again = bodyOf(await api.call('POST', '/calls', { machineId, kind: 'help', note: 'Now' }, { cookie }))
    assert.equal(again.id, bodyOf(called).id)
    assert.deepInclude(again.comments[0].by, { kind: 'user', id: userId })
    const resolved = bodyOf(await api.call('POST', `/incidents/${again.id}/resolve`, undefined, { cookie }))
    assert.equal(resolved.endedAt, resolved.resolvedAt)
    const unknown = await api.call('POST', '/calls', { machineId: randomUUID(), kind: 'x' })
    assert.deepEqual(faultsOf(unknown), ['machineId InvalidDataItem', 'kind InvalidDataItem'])
  })

  it('A note or comment of more than 2,000 characters, up to 10 MB, is rejected', async () => {
    const machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    const { id } = bodyOf(await api.call('POST', '/calls', { machineId, kind: 'help' }))
    for (const [length, status] of [
      [2_001, 400],
      [10_000_000, 413],
    ] as const) {
      const text = 'x'.repeat(length)
      assert.equal((await api.call('POST', '/calls', { machineId, kind: 'material', note: text })).status, status)
      assert.equal((await api.call('POST', `/incidents/${id}/comment`, { text })).status, status)
    }
    assert.deepEqual(bodyOf(await api.call('GET', `/incidents/${id}`)).comments, [])
  })

  it('Invalid queries are rejected', async () => {
    const faults = async (query: string) => faultsOf(await api.call('GET', `/incidents?${query}`))
    assert.deepEqual(await faults('limit=201'), ['limit OutOfRange'])
    assert.deepEqual(await faults(`start=${at(2)}&end=${at(1)}`), ['start InvalidRange'])
    assert.deepEqual(await faults(`startId=${randomUUID()}`), ['startId InvalidDataItem'])
    assert.equal((await api.call('GET', '/incidents?state=closed')).status, 400)
    assert.equal((await api.call('GET', '/incidents?direction=asc')).status, 400)
  })
})
