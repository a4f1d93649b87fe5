import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { PartAdjustmentResponse } from '../../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeResponse } from '../../../schema/records/part-adjustment-type.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'

describe('routes of part adjustments', () => {
  let api: TestApi
  let machineId: string
  beforeEach(async () => {
    api = await startApi()
    machineId = randomUUID()
    await api.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })
  })
  afterEach(() => api.close())

  const makeType = async (type: object): Promise<PartAdjustmentTypeResponse> =>
    shaped(await api.call('POST', '/part-adjustment-types', { name: 'Type', ...type }))
  const make = async (adjustment: object): Promise<PartAdjustmentResponse> =>
    shaped(await api.call('POST', '/part-adjustment', { machine_id: machineId, ...adjustment }))

  it('/part-adjustment-types returns the documented fields, and the list omits hidden types', async () => {
    const burr = await makeType({ name: 'Burr', reject_behavior: 'scrap', color: '#ff0000' })
    assert.deepEqual(burr, {
      id: 1,
      company_id: api.registrar.company.id,
      name: 'Burr',
      color: '#ff0000',
      correction: false,
      scrap: true,
      reject_behavior: 'scrap',
      hidden: false,
    })
    const miscount = await makeType({ name: 'Miscount', correction: true })
    const old = await makeType({ name: 'Old', hidden: true })
    const list = async (query = '') => shaped<{ id: number }[]>(await api.call('GET', `/part-adjustment-types${query}`))
    assert.deepEqual(await list(), [burr, miscount])
    assert.deepEqual(await list('?scrapOnly=true'), [burr])
    assert.deepEqual(await list('?includeHidden=true'), [burr, miscount, old])
    assert.deepEqual(await list('?scrapOnly=true&includeHidden=1'), [burr, old])
    const put = await api.call('PUT', '/part-adjustment-types/1', { name: 'Burrs', reject_behavior: 'nonconform' })
    assert.deepEqual(put.body, { ...burr, name: 'Burrs', reject_behavior: 'nonconform', color: '#808080' })
    await make({ category_id: 1, adjustmenttime: '2026-03-02T08:00:00' })
    const { status, body } = await api.call('DELETE', '/part-adjustment-types/1')
    assert.equal(status, 409)
    assert.nestedPropertyVal(
      body,
      'message',
      'In use by 1 part adjustment: Lathe 2026-03-02T08:00:00.000Z; hide it instead',
    )
    assert.isNull((await api.call('DELETE', '/part-adjustment-types/2')).body)
  })

  it('/part-adjustment is created, changed, listed and deleted', async () => {
    const { id: category } = await makeType({ name: 'Ask' })
    const made = await make({
      scrapcount: 5,
      count: -5,
      reject_behavior: 'nonconform',
      category_id: category,
      message: 'bent',
      adjustmenttime: '2026-03-02 08:00:00+01:00',
    })
    assert.deepEqual(made, {
      id: made.id,
      machine_id: machineId,
      adjustmenttime: '2026-03-02T07:00:00.000Z',
      category_id: category,
      message: 'bent',
      scrapcount: 5,
      count: -5,
      reject_behavior: 'nonconform',
    })
    const put = await api.call('PUT', `/part-adjustment/${made.id}`, { count: 0, scrapcount: 2, id: 'ignored' })
    assert.deepEqual(put.body, { ...made, count: 0, scrapcount: 2 })
    const other = { count: -2, scrapcount: 2, reject_behavior: 'scrap', message: 'x' }
    const inArray = await api.call('PUT', `/part-adjustment/${made.id}`, [other])
    assert.deepEqual(inArray.body, { ...made, ...other })
    assert.deepEqual((await api.call('GET', '/part-adjustments')).body, [inArray.body])
    assert.isNull((await api.call('DELETE', `/part-adjustment/${made.id}`)).body)
    assert.equal((await api.call('DELETE', `/part-adjustment/${made.id}`)).status, 404)
    assert.deepEqual((await api.call('GET', '/part-adjustments')).body, [])
  })

  it('A part adjustment without a time is at the current time', async () => {
    const before = new Date().toISOString()
    const { adjustmenttime, count, scrapcount, category_id, reject_behavior } = await make({ count: 3 })
    assert.isTrue(adjustmenttime >= before && adjustmenttime <= new Date().toISOString())
    assert.deepEqual([count, scrapcount, category_id, reject_behavior], [3, 0, null, 'scrap'])
  })

  it('The part adjustment type determines the reject behavior, unless it leaves that to the operator', async () => {
    const { id: scrap } = await makeType({ reject_behavior: 'scrap' })
    const { id: rework } = await makeType({ reject_behavior: 'nonconform' })
    const { id: ask } = await makeType({ reject_behavior: 'operator' })
    const behavior = async (category_id: number | null, reject_behavior: string | null) =>
      (await make({ scrapcount: 1, category_id, reject_behavior })).reject_behavior
    assert.equal(await behavior(scrap, 'nonconform'), 'scrap')
    assert.equal(await behavior(rework, 'scrap'), 'nonconform')
    assert.equal(await behavior(ask, 'nonconform'), 'nonconform')
    assert.equal(await behavior(null, 'nonconform'), 'nonconform')
    assert.equal(await behavior(ask, null), 'scrap')
  })

  it('Unknown ids in part adjustment routes receive the documented messages', async () => {
    const create = await api.call('POST', '/part-adjustment', { machine_id: machineId, category_id: 9 })
    assert.equal(create.status, 400)
    assert.nestedPropertyVal(create.body, 'message', 'cannot read property id of null')
    for (const id of [randomUUID(), 'none', 'setup']) {
      const update = await api.call('PUT', `/part-adjustment/${id}`, { count: 0, scrapcount: 0 })
      assert.equal(update.status, 404)
      assert.nestedPropertyVal(update.body, 'message', "cannot read property 'machine' of null")
    }
  })

  it('Part adjustment routes list every field error', async () => {
    const create = await api.call('POST', '/part-adjustment', {
      scrapcount: 1.5,
      reject_behavior: 'operator',
      adjustmenttime: 'x',
      category_id: 9,
    })
    assert.sameMembers(faultsOf(create), [
      'machine_id Required',
      'scrapcount InvalidType',
      'reject_behavior InvalidEnum',
      'adjustmenttime InvalidDate',
    ])
    const { id } = await make({})
    const update = await api.call('PUT', `/part-adjustment/${id}`, { count: 'one' })
    assert.sameMembers(faultsOf(update), ['scrapcount Required', 'count InvalidType'])
    for (const body of [[], [{ count: 1, scrapcount: 1 }, {}]])
      assert.deepEqual(faultsOf(await api.call('PUT', `/part-adjustment/${id}`, body)), ['body InvalidType'])
    for (const body of [null, 3, ['x']])
      assert.equal((await api.call('PUT', `/part-adjustment/${id}`, body)).status, 400, JSON.stringify(body))
  })

  it('/part-adjustments filters by machine, range and number, and returns types on request', async () => {
    const other = randomUUID()
    await api.call('PUT', `/machines/${other}`, { name: 'Other' })
    const burr = await makeType({ name: 'Burr', reject_behavior: 'scrap' })
    const miscount = await makeType({ name: 'Miscount', correction: true })
    const times = ['2026-03-02T10:00:00.000Z', '2026-03-02T08:00:00.000Z', '2026-03-02T09:00:00.000Z']
    const [late, early, between] = [
      await make({ adjustmenttime: times[0], scrapcount: 1, category_id: burr.id }),
      await make({ adjustmenttime: times[1], count: 2, category_id: miscount.id }),
      await make({ adjustmenttime: times[2], count: 1, machine_id: other }),
    ]
    const list = async (query: string) =>
      shaped<PartAdjustmentResponse[]>(await api.call('GET', `/part-adjustments?${query}`))
    assert.deepEqual(await list(''), [early, between, late])
    assert.deepEqual(await list(`machine_id=${machineId}`), [early, late])
    assert.deepEqual(await list('start=2026-03-02T09:00:00Z&end=2026-03-02T10:00:00Z'), [between])
    assert.deepEqual(await list('limit=2'), [early, between])
    assert.deepEqual(await list('scrap=true'), [
      { ...early, type: null },
      { ...between, type: null },
      { ...late, type: burr },
    ])
    assert.deepEqual(await list(`correction=true&machine_id=${machineId}`), [
      { ...early, type: miscount },
      { ...late, type: null },
    ])
    const both = await api.call('GET', '/part-adjustments?scrap=true&correction=true')
    assert.deepEqual(faultsOf(both), ['correction MutuallyExclusive'])
    assert.equal((await api.call('GET', '/part-adjustments?scrap=false&correction=true')).status, 200)
  })

  it('Part adjustment routes need both scopes, part-adjustment and reporting', async () => {
    for (const [scopes, status] of [
      [['part-adjustment'], 403],
      [['reporting'], 403],
      [['part-adjustment', 'reporting'], 200],
    ] as const) {
      const key = api.addKey(scopes)
      const statuses = await Promise.all([
        api.call('GET', '/part-adjustments', undefined, { key }),
        api.call('GET', '/part-adjustment-types', undefined, { key }),
        api.call('POST', '/part-adjustment', { machine_id: machineId }, { key }),
        api.call('POST', '/part-adjustment-types', { name: 'T' }, { key }),
      ])
      for (const answer of statuses) assert.equal(answer.status, status, `${scopes.join()} ${answer.path}`)
    }
  })
})
