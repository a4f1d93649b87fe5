import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { readDeliveries } from '../../../clickhouse/projections/deliveries.ts'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import { memoryLimits } from '../../../processors/records/memory-bounds.ts'
import type { DeliveriesQuery } from '../../../schema/requests/deliveries.ts'
import { hour, Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'

describe('deliveries in the store', () => {
  const store = useFreshDatabase('front')

  /** A plant that creates deliveries and stores their outcomes. */
  function scene() {
    const plant = new Plant()
    plant.result('alertTarget.put', { id: 't', name: 'Shift', kind: 'mail', addresses: ['shift@example.com'] })
    const steps = [{ afterMs: 0, until: 'resolved', targets: ['t'] }] as const
    plant.result('alertRule.put', {
      id: 'r',
      name: 'Stop',
      severity: 'info',
      condition: { stop: { reasons: [] } },
      steps,
    })
    // The table deletes deliveries after 90 days, by the clock of the engine.
    plant.nowMs = Date.now()
    const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
    const owner = { partition: 0, fence }
    const create = (): string => {
      const incidentId = randomUUID()
      const id = randomUUID()
      const subject = { type: 'machine', id: plant.machine(), name: 'Lathe' } as const
      const times = { startedAt: hour(0), openedAt: hour(0), endedAt: null, reopened: 0 }
      const opened = {
        type: 'open',
        id: incidentId,
        ruleId: 'r',
        activeFrom: hour(0),
        subject,
        detail: {},
        times,
      } as const
      const step = { type: 'step', id: incidentId, step: 1, repeat: 0 } as const
      plant.result('incident.evaluate', { ...owner, changes: [opened, step] })
      const named = { event: 'incident.opened', step: 1, repeat: 0 } as const
      const delivery = { id, ruleId: 'r', ...named, dueAt: hour(0), notices: [{ incidentId, ...named }] } as const
      plant.result('delivery.create', { ...owner, targetId: 't', deliveries: [delivery], dropped: [] })
      return id
    }
    const record = (id: string, state: 'sent' | 'failed') =>
      plant.result('delivery.record', { ...owner, id, state, error: null, disablesTarget: false })
    return { plant, create, record }
  }

  it('A start reads the undecided deliveries, and the recent ones', async () => {
    const { plant, create, record } = scene()
    const [sent, failed, pending] = [create(), create(), create()]
    record(sent, 'sent')
    record(failed, 'failed')
    plant.nowMs += 2 * memoryLimits.deliveryAgeMs
    const recent = create()
    record(recent, 'sent')
    await projectRecords(store(), plant.entries)
    const found: string[] = []
    const clock = () => plant.nowMs
    await createStoredRecords(store(), { limits: memoryLimits, clock }).readRecords(page =>
      page.forEach(({ kind, id }) => kind === 'delivery' && found.push(id)),
    )
    expect(found.toSorted()).to.deep.equal([failed, pending, recent].toSorted())
  })
  it('A page lists each delivery once with its last state, newest first, although its rows are not merged', async () => {
    const { plant, create, record } = scene()
    const created = Array.from({ length: 5 }, () => {
      plant.nowMs++
      const id = create()
      record(id, 'failed')
      return id
    })
    for (const id of created) record(id, 'sent')
    await projectRecords(store(), plant.entries)
    for (let count = 0; count < 3; count++) await projectRecords(store(), plant.entries)
    const read = async (query: DeliveriesQuery) => {
      const found = await readDeliveries(store(), plant.companyId, query, {})
      return found?.map(({ id, state }) => [id, state])
    }
    const newest = created.toReversed().map(id => [id, 'sent'])
    expect(await read({})).to.deep.equal(newest)
    expect(await read({ limit: 2 })).to.deep.equal(newest.slice(0, 2))
    expect(await read({ limit: 2, startId: created[3] ?? '' })).to.deep.equal(newest.slice(2, 4))
    expect(await read({ state: 'sent', limit: 3 })).to.deep.equal(newest.slice(0, 3))
    expect(await read({ state: 'failed' })).to.deep.equal([])
    expect(await read({ targetId: 'other' })).to.deep.equal([])
  })
})
