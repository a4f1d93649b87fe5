import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import { openApiDocument, routes } from '../../../api/create-api.ts'
import { shaped, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'

const machineId = randomUUID()
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

/** Routes that only read, that are idempotent without a key, or that succeed only once (the first set-up). */
const keyless = [
  '/session',
  '/set-up',
  '/ingest/samples',
  '/reports/',
  '/graphql',
  '/v1/graphql',
  '/proxy/graphql',
  '/dead-letters/replay',
  '/demo/leave',
  '/jobs/import/preview',
  '/connectors/discover',
  '/connectors/preview',
  '/connectors/try',
  '/alert-rules/try',
  '/machines/states',
]

describe('Idempotency-Key', () => {
  let api: TestApi
  let cookie: string
  let reasonId: number

  beforeEach(async () => {
    api = await startApi()
    ;({ cookie } = await api.signIn('it_admin'))
    await api.call('PUT', `/machines/${machineId}`, { name: 'Mill', erpMachineId: 'M1' })
    reasonId = shaped<{ id: number }>(await api.call('POST', '/downtime-reasons', { name: 'Jam' })).id
    await api.call('PUT', `/operators/${machineId}`, { name: 'Ada' })
  })

  afterEach(() => api.close())

  const creating = (): readonly (readonly [path: string, body: object])[] => [
    ['/downtime-reasons', { name: 'Tool' }],
    ['/annotations', { machineId, reasonId, startAt: '2026-03-02T06:00:00Z', endAt: '2026-03-02T07:00:00Z' }],
    ['/part-adjustment-types', { name: 'Scratch', scrap: true, correction: false }],
    ['/part-adjustment', { machine_id: machineId, adjustmenttime: '2026-03-02T06:00:00Z', count: 3 }],
    ['/operator-runs', { machineId, operatorId: machineId, startAt: '2026-03-02T06:00:00Z' }],
    ['/erp/jobdispatch/start', { erpMachineId: 'M1', erpJobOperationRunId: 'R1', jobName: 'J', startAt: null }],
    ['/recomputes', {}],
  ]

  it('On every route that creates records, a repeated idempotency key returns the first response and creates nothing', async () => {
    for (const [path, body] of creating()) {
      const first = await api.call('POST', path, body, keyed('a key'))
      const before = [...api.registrar.records.allRecords()].length
      const again = await api.call('POST', path, body, keyed('a key'))
      assert.deepEqual([again.status, again.body], [first.status, first.body], path)
      assert.lengthOf([...api.registrar.records.allRecords()], before, path)
      const other = await api.call('POST', path, { ...body, note: 'else' }, keyed('a key'))
      if (path !== '/recomputes') assertReused(other)
    }
  })

  it('A repeated idempotency key returns the first response even after its record was changed and deleted', async () => {
    const first = await api.call('POST', '/downtime-reasons', { name: 'Tool', color: '#ff0000' }, keyed('k'))
    const { id } = shaped<{ id: number }>(first)
    await api.call('PUT', `/downtime-reasons/${id}`, { name: 'Tools' })
    await api.call('DELETE', `/downtime-reasons/${id}`)
    const again = await api.call('POST', '/downtime-reasons', { color: '#ff0000', name: 'Tool' }, keyed('k'))
    assert.deepEqual(again.body, first.body)
  })

  it('A repeated idempotency key returns the first rejection, including one of the HTTP layer', async () => {
    const missing = { machineId: randomUUID(), operatorId: machineId }
    const first = await api.call('POST', '/operator-runs', missing, keyed('k'))
    assert.equal(first.status, 400)
    await api.call('PUT', `/machines/${missing.machineId}`, { name: 'Lathe' })
    assert.deepEqual((await api.call('POST', '/operator-runs', missing, keyed('k'))).body, first.body)
    const user = { email: 'no address', displayName: 'Bob', role: 'operator', password: 'a password of some length' }
    const refused = await api.call('POST', '/users', user, { cookie, ...keyed('k') })
    assert.equal(refused.status, 400)
    assert.deepEqual((await api.call('POST', '/users', user, { cookie, ...keyed('k') })).body, refused.body)
    assertReused(await api.call('POST', '/users', { ...user, email: 'b@x.example' }, { cookie, ...keyed('k') }))
  })

  it('An idempotency key applies to one route and company, and cannot be reused with another path parameter', async () => {
    await api.call('POST', '/downtime-reasons', { name: 'Tool' }, keyed('k'))
    assert.equal((await api.call('POST', '/part-adjustment-types', creating()[2]?.[1], keyed('k'))).status, 200)
    const run = shaped<{ id: string }>(await api.call('POST', '/operator-runs', creating()[4]?.[1]))
    assert.equal((await api.call('POST', `/operator-runs/${run.id}/end`, {}, keyed('k'))).status, 200)
    assertReused(await api.call('POST', `/operator-runs/${randomUUID()}/end`, {}, keyed('k')))
  })

  it('A repeated idempotency key creates one user regardless of the password, and no hash of it is stored with the key', async () => {
    const user = { email: 'b@x.example', displayName: 'Bob', role: 'operator', password: 'a password of some length' }
    const first = await api.call('POST', '/users', user, { cookie, ...keyed('k') })
    const again = await api.call('POST', '/users', { ...user, password: 'another password' }, { cookie, ...keyed('k') })
    assert.equal(first.status, 200)
    assert.deepEqual(again.body, first.body)
  })

  it('A repeated idempotency key creates one API key, and the repeated response lacks its secret value', async () => {
    const asked = { name: 'BI', scopes: ['reporting'] }
    const first = await api.call('POST', '/api-keys', asked, { cookie, ...keyed('k') })
    const again = await api.call('POST', '/api-keys', asked, { cookie, ...keyed('k') })
    assert.deepEqual(again.body, { ...shaped<object>(first), key: null })
  })

  it('A repeated import with an idempotency key returns the first outcome, whether it was accepted or rejected', async () => {
    const send = (text: string, key: string) => {
      const raw = new FormData()
      raw.set('csvFile', new Blob([text]), 'jobs.csv')
      return api.call('POST', '/jobs/import', undefined, { raw, ...keyed(key) })
    }
    const good = 'name,workcenter\nJ1,Mill\n'
    assert.equal((await send(good, 'good')).status, 200)
    const bad = 'name,workcenter\nJ1,Lathe\n'
    const refused = await send(bad, 'bad')
    assert.equal(refused.status, 400)
    await api.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })
    assert.deepEqual((await send(bad, 'bad')).body, refused.body)
    assert.deepEqual((await send(good, 'good')).body, null)
    assertReused(await send(bad, 'good'))
  })

  it('An idempotency key has 1 to 255 characters', async () => {
    const reason = { name: 'Tool' }
    assert.equal((await api.call('POST', '/downtime-reasons', reason, keyed('k'.repeat(255)))).status, 200)
    for (const key of ['k'.repeat(256), '']) {
      const answer = await api.call('POST', '/downtime-reasons', reason, keyed(key))
      assert.equal(answer.status, 400, key)
    }
  })

  it('The OpenAPI document lists Idempotency-Key for every POST that changes records', () => {
    const posts = routes.filter(({ method, path }) => method === 'POST' && !keyless.some(each => path.startsWith(each)))
    assert.isAtLeast(posts.length, 12)
    for (const { path } of posts) {
      const operation = openApiDocument().paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.['post']
      assert.include(JSON.stringify(operation?.['parameters']), '"Idempotency-Key"', path)
    }
  })
})

function assertReused(answer: TestAnswer): void {
  assert.equal(answer.status, 409)
  assert.include(JSON.stringify(answer.body), '"IdempotencyKeyReused"')
}
