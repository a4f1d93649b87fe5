import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { AnnotationResponse } from '../../../schema/records/annotation.ts'
import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import { changeBetween } from '../../../schema/records/record-kinds.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { faultsOf, shaped, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'

describe('routes of downtime reasons and annotations', () => {
  let api: TestApi
  let machineId: string
  let reasonId: number
  beforeEach(async () => {
    api = await startApi()
    machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })
    reasonId = shaped<DowntimeReasonResponse>(await api.call('POST', '/downtime-reasons', { name: 'Jam', id: 77 })).id
  })
  afterEach(() => api.close())

  const annotate = (from: string, to: string | null, more: object = {}): Promise<TestAnswer> =>
    api.call('POST', '/annotations', { machineId, reasonId, startAt: at(from), endAt: to && at(to), ...more })
  const list = async (query = ''): Promise<AnnotationResponse[]> => {
    const answer = await api.call('GET', `/annotations?${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return shaped<AnnotationResponse[]>(answer)
  }
  const spans = async (query = ''): Promise<string[]> =>
    (await list(query)).map(({ note, startAt, endAt }) => `${note} ${startAt.slice(11, 16)} ${endAt?.slice(11, 16)}`)

  it('POST /downtime-reasons assigns ids, and PUT accepts chosen ids', async () => {
    assert.equal(reasonId, 1)
    const put = { name: 'Tool change', color: '#ff8800', planned: true, hidden: true }
    const defaults = { group: null, machineGroupIds: [] }
    assert.deepEqual((await api.call('PUT', '/downtime-reasons/40', put)).body, { id: 40, ...put, ...defaults })
    assert.equal(shaped<DowntimeReasonResponse>(await api.call('POST', '/downtime-reasons', { name: 'N' })).id, 41)
    const listed = shaped<DowntimeReasonResponse[]>(await api.call('GET', '/downtime-reasons'))
    assert.deepEqual(
      listed.map(({ id }) => id),
      [1, 40, 41],
    )
    await annotate('08:00', null)
    const { status, body } = await api.call('DELETE', '/downtime-reasons/1')
    assert.equal(status, 409)
    const message = 'In use by 1 annotation: Lathe 2026-03-02T08:00:00.000Z; hide it instead'
    assert.deepEqual(body, { code: 'InUse', message, errors: [] })
    assert.isNull((await api.call('DELETE', '/downtime-reasons/40')).body)
    for (const id of ['40', 'x', '-1', '1.5'])
      assert.equal((await api.call('DELETE', `/downtime-reasons/${id}`)).status, 404, id)
    assert.deepEqual(faultsOf(await api.call('PUT', '/downtime-reasons/x', { planned: 'no' })), [
      'name Required',
      'id InvalidType',
      'planned InvalidType',
    ])
  })

  it('A downtime reason has a group, and machine groups that exist', async () => {
    const groupId = randomUUID()
    await api.call('PUT', `/machine-groups/${groupId}`, { name: 'Lathes' })
    const put = { name: 'Chips', group: 'Cleaning', machineGroupIds: [groupId] }
    const answer = await api.call('PUT', '/downtime-reasons/5', put)
    assert.deepInclude(answer.body, { id: 5, ...put })
    const listed = shaped<DowntimeReasonResponse[]>(await api.call('GET', '/downtime-reasons'))
    assert.deepEqual(
      listed.map(({ id, group, machineGroupIds: ids }) => [id, group, ids]),
      [
        [1, null, []],
        [5, 'Cleaning', [groupId]],
      ],
    )
    const wrong = { name: 'Chips', group: '', machineGroupIds: ['x'] }
    assert.deepEqual(faultsOf(await api.call('PUT', '/downtime-reasons/5', wrong)), [
      'group InvalidDataItem',
      'machineGroupIds[0] InvalidDataItem',
    ])
    assert.equal((await api.call('DELETE', `/machine-groups/${groupId}`)).status, 409)
  })

  it('A downtime reason of an earlier version is listed with the defaults of its missing fields', async () => {
    const { records, company } = api.registrar
    const kept = records.get('downtimeReason', company.id, reasonId)
    if (kept === null) throw new Error('The reason exists')
    const { group: _, machineGroupIds: __, ...earlier } = kept
    api.registrar.apply([changeBetween('downtimeReason', String(reasonId), kept, earlier)])
    assert.deepEqual((await api.call('GET', '/downtime-reasons')).body, [
      { id: reasonId, name: 'Jam', color: '#808080', planned: false, hidden: false, group: null, machineGroupIds: [] },
    ])
  })

  it('POST /downtime-reasons assigns a valid id even after a PUT with the highest id', async () => {
    assert.equal((await api.call('PUT', '/downtime-reasons/1000000000', { name: 'Highest' })).status, 200)
    assert.deepEqual(faultsOf(await api.call('PUT', '/downtime-reasons/1000000001', { name: 'Above' })), [
      'id OutOfRange',
    ])
    const { id } = shaped<DowntimeReasonResponse>(await api.call('POST', '/downtime-reasons', { name: 'Next' }))
    assert.equal(id, 1_000_000_001)
    assert.equal((await api.call('PUT', `/downtime-reasons/${id}`, { name: 'Renamed' })).status, 200)
    assert.isNull((await api.call('DELETE', `/downtime-reasons/${id}`)).body)
  })

  it('An annotation is returned as stored, and a new one replaces the time that it covers', async () => {
    const made = await annotate('08:00', null, { note: 'outer', id: randomUUID() })
    const outer = shaped<AnnotationResponse>(made)
    assert.deepEqual(outer, { id: outer.id, machineId, reasonId, startAt: at('08:00'), endAt: null, note: 'outer' })
    await annotate('10:00', '11:00', { note: 'inner' })
    assert.deepEqual(await spans(), ['outer 08:00 10:00', 'inner 10:00 11:00', 'outer 11:00 undefined'])
    const put = { machineId, reasonId, startAt: at('09:00'), endAt: at('10:30'), note: 'moved' }
    const moved = await api.call('PUT', `/annotations/${outer.id.toUpperCase()}`, put)
    assert.deepEqual(moved.body, { id: outer.id, ...put })
    assert.deepEqual(await spans(), ['moved 09:00 10:30', 'inner 10:30 11:00', 'outer 11:00 undefined'])
    assert.isNull((await api.call('DELETE', `/annotations/${outer.id}`)).body)
    assert.equal((await api.call('DELETE', `/annotations/${outer.id}`)).status, 404)
    assert.deepEqual(await spans(), ['inner 10:30 11:00', 'outer 11:00 undefined'])
  })

  it('/annotations lists every field error', async () => {
    const answer = await annotate('10:00', '09:00', { machineId: randomUUID(), reasonId: 9, note: [] })
    assert.sameMembers(faultsOf(answer), [
      'note InvalidType',
      'machineId InvalidDataItem',
      'reasonId InvalidDataItem',
      'endAt InvalidRange',
    ])
  })

  it('GET /annotations returns the annotations of a range and of a machine in pages', async () => {
    const other = randomUUID()
    await api.call('PUT', `/machines/${other}`, { name: 'Other' })
    await annotate('06:00', '08:00', { note: 'a' })
    await annotate('07:00', '09:00', { note: 'b', machineId: other })
    await annotate('08:00', '10:00', { note: 'c' })
    await annotate('10:00', null, { note: 'd' })
    assert.deepEqual(await spans(), ['a 06:00 08:00', 'b 07:00 09:00', 'c 08:00 10:00', 'd 10:00 undefined'])
    assert.deepEqual(await spans('start=2026-03-02T08:00:00Z&end=2026-03-02T09:30:00Z'), [
      'b 07:00 09:00',
      'c 08:00 10:00',
    ])
    assert.deepEqual(await spans(`machineId=${machineId}&start=2026-03-02T09:00:00%2B00:00`), [
      'c 08:00 10:00',
      'd 10:00 undefined',
    ])
    assert.deepEqual(await spans('start=2026-04-01'.concat('T00:00:00Z')), ['d 10:00 undefined'])
    assert.deepEqual(await spans('end=2026-03-02T06:00:00Z'), [])

    const first = await api.call('GET', `/annotations?limit=3&start=2026-03-02T06:30:00Z`)
    assert.deepEqual(shaped<AnnotationResponse[]>(first).length, 3)
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
    const second = await api.call('GET', next.slice(api.url.length))
    assert.deepEqual(
      shaped<AnnotationResponse[]>(second).map(({ note }) => note),
      ['d'],
    )
    assert.isNull(second.headers.get('link'))

    const wrong = await api.call('GET', '/annotations?limit=0&start=2026-03-02')
    assert.deepEqual(faultsOf(wrong), ['start InvalidDate', 'limit OutOfRange'])
    const reversed = await api.call('GET', '/annotations?start=2026-03-02T08:00:00Z&end=2026-03-02T08:00:00Z')
    assert.deepEqual(faultsOf(reversed), ['start InvalidRange'])
    assert.deepEqual(faultsOf(await api.call('GET', '/annotations?after=x')), ['after InvalidDataItem'])
  })

  it('Reasons and annotations of another company cannot be read or used', async () => {
    const key = 'the admin key of quite another company'
    api.registrar.addCompany('Other', hashKey(key))
    const { id } = shaped<AnnotationResponse>(await annotate('08:00', null))
    const whole = { machineId, reasonId, startAt: at('08:00') }
    assert.deepEqual((await api.call('GET', '/annotations', undefined, { key })).body, [])
    assert.deepEqual((await api.call('GET', `/annotations?machineId=${machineId}`, undefined, { key })).body, [])
    assert.equal((await api.call('GET', `/annotations?after=${id}`, undefined, { key })).status, 400)
    assert.equal((await api.call('DELETE', `/annotations/${id}`, undefined, { key })).status, 404)
    assert.sameMembers(faultsOf(await api.call('POST', '/annotations', whole, { key })), [
      'machineId InvalidDataItem',
      'reasonId InvalidDataItem',
    ])
    assert.deepEqual((await api.call('GET', '/downtime-reasons', undefined, { key })).body, [])
    const reasons = (await api.call('GET', '/downtime-reasons')).body
    assert.equal((await api.call('PUT', `/downtime-reasons/${reasonId}`, { name: 'Mine' }, { key })).status, 200)
    assert.deepEqual((await api.call('GET', '/downtime-reasons')).body, reasons, "ids are a company's own")
  })
})

function at(time: string): string {
  return `2026-03-02T${time}:00.000Z`
}
