import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { hashKey } from '../../../api/auth/key.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { defaultMachineSettings, type MachineDetails } from '../../../schema/records/machine.ts'
import type { ScheduleResponse } from '../../../schema/records/schedule.ts'
import { adminKey, faultsOf, shaped, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const unconnected = {
  connectorId: null,
  state: null,
  since: null,
  problem: 'no_connector',
  reason: 'no connector',
  skewMs: null,
}

describe('routes of the plant', () => {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  it('PUT /settings replaces all settings except the company name, with defaults for missing fields', async () => {
    const settings = { companyName: 'Mill', timeZone: 'America/Chicago', startOfDay: '06:00', firstDayOfWeek: 7 }
    const put = await api.call('PUT', '/settings', { ...settings, thresholds: { oeeWarning: 0.8 } })
    const expected = {
      ...defaultCompanySettings,
      ...settings,
      thresholds: { ...defaultCompanySettings.thresholds, oeeWarning: 0.8 },
    }
    assert.deepEqual([put.status, put.body], [200, expected])
    assert.deepEqual((await api.call('GET', '/settings')).body, expected)
    const again = await api.call('PUT', '/settings', { timeZone: 'America/Chicago', startOfDay: null })
    assert.deepEqual(again.body, { ...defaultCompanySettings, companyName: 'Mill', timeZone: 'America/Chicago' })
  })

  it('/accounts/current returns the account of the key', async () => {
    const key = api.addKey(['erp.read'])
    await api.call('PUT', '/settings', { companyName: 'Mill', timeZone: 'Europe/Berlin', startOfDay: '06:00' })
    const { id } = api.registrar.company
    assert.deepEqual((await api.call('GET', '/accounts/current', undefined, { key })).body, {
      id: 'user-from-api-key',
      displayName: 'Test',
      companyId: id,
      company: { id, name: 'Mill', timeZone: 'Europe/Berlin', startOfDay: '06:00' },
      scopes: ['erp.read'],
    })
  })

  it('/machines/:id creates and replaces a machine, and is idempotent', async () => {
    const id = randomUUID()
    const body = { name: 'Mazak 1', make: 'Mazak', commissionedAt: '2026-01-01T00:00:00+01:00', id: 'ignored', x: 1 }
    const created = await api.call('PUT', `/machines/${id}`, body)
    assert.equal(created.status, 200)
    const expected = {
      ...defaultMachineSettings,
      id,
      machineRef: 1,
      name: 'Mazak 1',
      make: 'Mazak',
      commissionedAt: '2025-12-31T23:00:00.000Z',
      createdAt: shaped<MachineDetails>(created).createdAt,
    }
    assert.deepEqual(created.body, expected)
    assert.deepEqual((await api.call('PUT', `/machines/${id.toUpperCase()}`, body)).body, expected)
    assert.deepEqual((await api.call('GET', `/machines/${id}`)).body, expected)
    const replaced = await api.call('PUT', `/machines/${id}`, { name: 'Mazak 2' })
    assert.deepEqual(replaced.body, { ...expected, name: 'Mazak 2', make: null, commissionedAt: null })
  })

  it('PUT returns the written record, even if the record is deleted at the same time', async () => {
    const { registrar } = api
    const { submit } = registrar
    const id = randomUUID()
    const machineId = randomUUID()
    await registrar.perform('machine.put', { id: machineId, name: 'Mill' })
    const reason = await registrar.perform('downtimeReason.put', { id: null, name: 'Tool' })
    const thenDelete: typeof submit = async (name, payload, options) => {
      const outcome = await submit(name, payload, options)
      const [kind] = name.split('.')
      const deletes = ['annotation.delete', 'schedule.delete', 'operator.delete'] as const
      const deleting = deletes.find(each => each === `${kind}.delete`)
      if (deleting) await submit(deleting, { id }, options)
      return outcome
    }
    Object.assign(registrar, { submit: thenDelete })
    const startAt = '2026-03-02T08:00:00.000Z'
    for (const [path, kind, body] of [
      ['/annotations', 'annotation', { machineId, reasonId: reason.id, startAt, endAt: null }],
      ['/operators', 'operator', { name: 'Ada' }],
      ['/schedules', 'schedule', { name: 'Early', versions: [], exceptions: [] }],
    ] as const) {
      const put = await api.call('PUT', `${path}/${id}`, body)
      assert.deepEqual([path, put.status, shaped<{ id: string }>(put).id], [path, 200, id])
      assert.isNull(registrar.records.get(kind, registrar.company.id, id) ?? null, path)
    }
  })

  it('/machines/:id lists every error of the path and the body', async () => {
    const answer = await api.call('PUT', '/machines/one', {
      microstopMs: 3_600_001,
      staleAfterMs: 59_999,
      partCounter: 'guess',
      cutSignal: { key: 'load' },
      commissionedAt: '2026-02-30',
      thresholds: { oeeWarning: 'high' },
      machineGroupIds: [{}],
    })
    assert.equal(answer.status, 400)
    assert.sameMembers(faultsOf(answer), [
      'id InvalidDataItem',
      'name Required',
      'microstopMs OutOfRange',
      'staleAfterMs OutOfRange',
      'partCounter InvalidEnum',
      'cutSignal.above Required',
      'commissionedAt InvalidDate',
      'thresholds.oeeWarning InvalidType',
      'machineGroupIds[0] InvalidType',
    ])
  })

  it('/machines/:id returns errors of the registrar', async () => {
    const references = { name: 'A', scheduleId: 'nights', machineGroupIds: ['mills'], microstopMs: -1 }
    assert.sameMembers(faultsOf(await api.call('PUT', `/machines/${randomUUID()}`, references)), [
      'scheduleId InvalidDataItem',
      'machineGroupIds[0] InvalidDataItem',
      'microstopMs OutOfRange',
    ])
  })

  it('/machines is sorted by name with status and groups, and includes decommissioned machines on request', async () => {
    const [first, second, gone] = [randomUUID(), randomUUID(), randomUUID()]
    await api.registrar.perform('machineGroup.put', { id: 'mills', name: 'Mills' })
    await api.call('PUT', `/machines/${second}`, { name: 'B', erpMachineId: 'WC-2' })
    await api.call('PUT', `/machines/${first}`, { name: 'A', machineGroupIds: ['mills'] })
    await api.call('PUT', `/machines/${gone}`, { name: 'C' })
    assert.isNull((await api.call('DELETE', `/machines/${gone}`)).body)
    api.statuses.set(2, { machineRef: asMachineRef(2), status: 'ACTIVE', sinceMs: 0, faults: [] })
    const issue = {
      code: 'too_many_keys',
      message: 'the machine has 5000 keys already',
      key: 'k',
      since: '2026-03-02T08:00:00.000Z',
      last: '2026-03-02T09:00:00.000Z',
      count: 12,
    } as const
    api.sampleIssues.set(2, [issue])
    const none = {
      make: null,
      model: null,
      commissionedAt: null,
      decommissionedAt: null,
      lastSample: null,
      missing: null,
    }
    const listed = await api.call('GET', '/machines')
    assert.deepEqual(listed.body, [
      {
        id: first,
        name: 'A',
        machineRef: 2,
        machineGroups: [{ id: 'mills', name: 'Mills' }],
        erpMachineId: null,
        status: 'ACTIVE',
        faults: [issue],
        connection: unconnected,
        ...none,
      },
      {
        id: second,
        name: 'B',
        machineRef: 1,
        machineGroups: [],
        erpMachineId: 'WC-2',
        status: 'UNAVAILABLE',
        faults: [],
        connection: unconnected,
        ...none,
      },
    ])
    const all = await api.call('GET', '/machines?includeDecommissioned=true')
    assert.deepEqual(idsOf(all), [first, second, gone])
    assert.equal((await api.call('GET', '/machines?includeDecommissioned=maybe')).status, 400)
    const selected = async (query: string) => idsOf(await api.call('GET', `/machines?${query}`))
    assert.deepEqual(await selected('machineGroupId=mills'), [first])
    assert.deepEqual(await selected('machineGroupId=mills&machineGroupId=lathes'), [first])
    assert.deepEqual(await selected(`machineId=${second.toUpperCase()}&machineId=${gone}`), [second])
    assert.deepEqual(await selected(`machineId=${gone}&includeDecommissioned=true`), [gone])
    assert.deepEqual(await selected(`machineId=${second}&machineGroupId=mills`), [])
    const key = api.addKey(['reporting'])
    assert.equal((await api.call('GET', '/machines', undefined, { key })).status, 200)
  })

  it('/schedules/:id creates, lists and deletes schedules, and assigns ids to shifts', async () => {
    const shift = { name: 'Night', days: [1, 2, 3], start: '22:00', end: '06:00' }
    const body = {
      name: 'Plant',
      versions: [{ effectiveFrom: null, shifts: [shift, { ...shift, id: 'day', start: '06:00', end: '22:00' }] }],
      exceptions: [{ date: '2026-12-25', shifts: [] }],
    }
    const created = await api.call('PUT', '/schedules/plant', body)
    assert.equal(created.status, 200)
    const made = shaped<ScheduleResponse>(created).versions[0]?.shifts[0]?.id
    const expected = {
      id: 'plant',
      name: 'Plant',
      versions: [
        {
          effectiveFrom: null,
          shifts: [
            { ...shift, id: made, optional: false },
            { ...shift, id: 'day', optional: false, start: '06:00', end: '22:00' },
          ],
        },
      ],
      exceptions: body.exceptions,
    }
    assert.deepEqual(created.body, expected)
    assert.deepEqual((await api.call('GET', '/schedules/plant')).body, expected)
    assert.deepEqual((await api.call('GET', '/schedules')).body, [expected])
    const machine = randomUUID()
    await api.call('PUT', `/machines/${machine}`, { name: 'A', scheduleId: 'plant' })
    assert.equal((await api.call('DELETE', '/schedules/plant')).status, 409)
    await api.call('PUT', `/machines/${machine}`, { name: 'A' })
    assert.deepEqual((await api.call('DELETE', '/schedules/plant')).body, null)
    assert.equal((await api.call('GET', '/schedules/plant')).status, 404)
    assert.equal((await api.call('DELETE', '/schedules/plant')).status, 404)
  })

  it('/schedules/:id rejects overlapping shifts', async () => {
    const shift = { name: 'S', days: [7], start: '22:00', end: '06:00' }
    const versions = [{ effectiveFrom: null, shifts: [shift, { ...shift, days: [1], start: '05:00' }] }]
    const { status, body } = await api.call('PUT', '/schedules/plant', { name: 'Plant', versions })
    assert.equal(status, 400)
    assert.nestedPropertyVal(body, 'errors[0].code', 'InvalidRange')
  })

  it('Machines and schedules of another company are not found', async () => {
    const other = 'the admin key of quite another company'
    api.registrar.addCompany('Other', hashKey(other))
    const id = randomUUID()
    await api.call('PUT', `/machines/${id}`, { name: 'A' })
    await api.call('PUT', '/schedules/plant', { name: 'Plant' })
    for (const [method, path, body] of [
      ['GET', `/machines/${id}`, undefined],
      ['PUT', `/machines/${id}`, { name: 'Mine' }],
      ['DELETE', `/machines/${id}`, undefined],
      ['GET', '/schedules/plant', undefined],
      ['DELETE', '/schedules/plant', undefined],
    ] as const)
      assert.equal((await api.call(method, path, body, { key: other })).status, 404, `${method} ${path}`)
    assert.deepEqual((await api.call('GET', '/machines', undefined, { key: other })).body, [])
    assert.deepEqual((await api.call('GET', '/schedules', undefined, { key: other })).body, [])
    assert.deepEqual(idsOf(await api.call('GET', '/machines', undefined, { key: adminKey })), [id])
  })
})

function idsOf(answer: TestAnswer): string[] {
  return shaped<{ id: string }[]>(answer).map(({ id }) => id)
}
