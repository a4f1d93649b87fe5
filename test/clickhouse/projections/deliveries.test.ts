import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import { memoryLimits } from '../../../processors/records/memory-bounds.ts'
import { hour, Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'

describe('deliveries in the store', () => {
  const store = useFreshDatabase('front')

  it('A start reads the undecided deliveries, and the recent ones', async () => {
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
})
