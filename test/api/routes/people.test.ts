import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { OperatorRunResponse } from '../../../schema/records/operator-run.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'

describe('routes of groups and operators', () => {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  const machine = async (name: string, settings: object = {}): Promise<string> => {
    const id = randomUUID()
    await api.call('PUT', `/machines/${id}`, { name, ...settings })
    return id
  }

  it('/machine-groups/:id creates, replaces and lists groups, and deletes only empty ones', async () => {
    const [b, a] = [await machine('B'), await machine('A')]
    const created = await api.call('PUT', '/machine-groups/mills', { name: 'Mills', machineIds: [b, a], x: 1 })
    const mills = { id: 'mills', name: 'Mills', machineIds: [a, b] }
    assert.deepEqual([created.status, created.body], [200, mills])
    assert.deepEqual((await api.call('GET', '/machine-groups/mills')).body, mills)
    const renamed = await api.call('PUT', '/machine-groups/mills', { name: 'Big mills' })
    assert.deepEqual(renamed.body, { ...mills, name: 'Big mills' }, 'it keeps its machines')
    assert.deepEqual((await api.call('GET', '/machine-groups')).body, [renamed.body])
    const { status, body } = await api.call('DELETE', '/machine-groups/mills')
    assert.deepEqual([status, body], [409, { code: 'InUse', message: 'In use by 2 machines: A, B', errors: [] }])
    await api.call('PUT', '/machine-groups/mills', { name: 'Mills', machineIds: [] })
    assert.isNull((await api.call('DELETE', '/machine-groups/mills')).body)
    for (const method of ['GET', 'DELETE'])
      for (const id of ['mills', 'none', '%20'])
        assert.equal((await api.call(method, `/machine-groups/${id}`)).status, 404, `${method} ${id}`)
  })

  it('/machine-groups/:id lists every error of the path, the body and its references', async () => {
    const answer = await api.call('PUT', '/machine-groups/none', { name: {}, machineIds: [randomUUID(), 'x'] })
    assert.sameMembers(faultsOf(answer), ['id InvalidDataItem', 'name InvalidType', 'machineIds[1] InvalidDataItem'])
    const unknown = await api.call('PUT', '/machine-groups/x', { name: 'X', machineIds: [randomUUID(), randomUUID()] })
    assert.deepEqual(faultsOf(unknown), ['machineIds[0] InvalidDataItem', 'machineIds[1] InvalidDataItem'])
    for (const body of [null, 'x', 5, []]) {
      const { status } = await api.call('PUT', '/machine-groups/x', body)
      assert.equal(status, 400, JSON.stringify(body))
    }
  })

  it('/operators/:id creates, renames and lists operators, and deletes only those who never signed in', async () => {
    assert.deepEqual((await api.call('PUT', '/operators/ann', { name: 'Ann' })).body, { id: 'ann', name: 'Ann' })
    assert.deepEqual((await api.call('PUT', '/operators/ann', { name: 'Anne' })).body, { id: 'ann', name: 'Anne' })
    assert.deepEqual((await api.call('GET', '/operators/ann')).body, { id: 'ann', name: 'Anne' })
    assert.deepEqual((await api.call('GET', '/operators')).body, [{ id: 'ann', name: 'Anne' }])
    await api.call('POST', '/operator-runs', { machineId: await machine('A'), operatorId: 'ann' })
    assert.equal((await api.call('DELETE', '/operators/ann')).status, 409)
    await api.call('PUT', '/operators/bob', { name: 'Bob' })
    assert.isNull((await api.call('DELETE', '/operators/bob')).body)
    assert.equal((await api.call('GET', '/operators/bob')).status, 404)
  })

  it('GET /operators/:id catches up with the records before it responds 404', async () => {
    const late = await startApi({
      async catchUpRecords() {
        await late.registrar.perform('operator.put', { id: 'ann', name: 'Ann' })
      },
    })
    try {
      assert.deepEqual((await late.call('GET', '/operators/ann')).body, { id: 'ann', name: 'Ann' })
      assert.equal((await late.call('GET', '/operators/bob')).status, 404)
    } finally {
      await late.close()
    }
  })

  it('/operator-runs starts and ends an operator run', async () => {
    const machineId = await machine('A')
    await api.call('PUT', '/operators/ann', { name: 'Ann' })
    const started = await api.call('POST', '/operator-runs', {
      machineId: machineId.toUpperCase(),
      operatorId: 'ann',
      startAt: '2026-03-02T06:00:00+01:00',
    })
    const run = shaped<OperatorRunResponse>(started)
    assert.deepEqual(run, {
      id: run.id,
      machineId,
      operatorId: 'ann',
      startAt: '2026-03-02T05:00:00.000Z',
      endAt: null,
    })
    const again = { machineId, operatorId: 'ann', startAt: '2026-03-02T06:00:00Z' }
    assert.deepEqual((await api.call('POST', '/operator-runs', again)).body, run, 'who is signed in stays so')
    for (const body of [[], 'now', 5])
      assert.deepEqual(faultsOf(await api.call('POST', `/operator-runs/${run.id}/end`, body)), ['body InvalidType'])
    const ended = await api.call('POST', `/operator-runs/${run.id}/end`, { endAt: '2026-03-02T07:00:00Z' })
    assert.deepEqual(ended.body, { ...run, endAt: '2026-03-02T07:00:00.000Z' })
    assert.equal((await api.call('POST', `/operator-runs/${randomUUID()}/end`, {})).status, 404)
    assert.deepEqual(faultsOf(await api.call('POST', '/operator-runs', { startAt: 'now', operatorId: 'x' })), [
      'machineId Required',
      'startAt InvalidDate',
    ])
  })

  it('/operator-runs lists the runs that overlap a range', async () => {
    const [a, b] = [await machine('A'), await machine('B')]
    for (const id of ['ann', 'bob']) await api.call('PUT', `/operators/${id}`, { name: id })
    const signIn = async (machineId: string, operatorId: string, from: string, to: string | null) => {
      const started = await api.call('POST', '/operator-runs', { machineId, operatorId, startAt: `2026-03-${from}Z` })
      const { id } = shaped<OperatorRunResponse>(started)
      if (to !== null) await api.call('POST', `/operator-runs/${id}/end`, { endAt: `2026-03-${to}Z` })
      return id
    }
    const long = await signIn(a, 'ann', '02T06:00:00', '02T18:00:00')
    const short = await signIn(a, 'bob', '02T07:00:00', '02T08:00:00')
    const open = await signIn(b, 'ann', '02T20:00:00', null)
    const list = async (query: string) => {
      const answer = await api.call('GET', `/operator-runs?${query}`)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return shaped<OperatorRunResponse[]>(answer).map(({ id }) => id)
    }
    assert.deepEqual(await list(''), [long, short, open])
    assert.deepEqual(await list('start=2026-03-02T08:00:00Z&end=2026-03-02T20:00:00Z'), [long])
    assert.deepEqual(await list(`machineId=${b.toUpperCase()}`), [open])
    assert.deepEqual(await list('start=2026-03-03T11:59:59Z'), [open], 'it ends after 16 hours')
    assert.deepEqual(await list('start=2026-03-03T12:00:00Z'), [])
    assert.deepEqual(await list(`machineId=${randomUUID()}`), [])
  })
})
