import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { readStoredRecords } from '../../../clickhouse/projections/restore.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'

const notice = { event: 'incident.opened', step: 1, repeat: 0 } as const

/** A plant with deliveries of an incident to two targets: one was sent, the other was not. */
function plantWithDeliveries() {
  const plant = new Plant()
  // The store deletes deliveries after 90 days.
  plant.nowMs = Date.now()
  const at = new Date(plant.nowMs).toISOString()
  const targets = ['sent', 'waiting']
  for (const id of targets)
    plant.result('alertTarget.put', { id, name: id, kind: 'mail', addresses: ['shift@example.com'] })
  const rule = { id: 'r', name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } } as const
  plant.result('alertRule.put', { ...rule, steps: [{ afterMs: 0, until: 'resolved', targets }] })
  const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
  const owner = { partition: 0, fence }
  const incidentId = randomUUID()
  const subject = { type: 'machine', id: plant.machine(), name: 'Lathe' } as const
  const times = { startedAt: at, openedAt: at, endedAt: null, reopened: 0 }
  const opened = { type: 'open', id: incidentId, ruleId: 'r', activeFrom: at, subject, detail: {}, times } as const
  const step = { type: 'step', id: incidentId, step: 1, repeat: 0 } as const
  plant.result('incident.evaluate', { ...owner, changes: [opened, step] })
  for (const targetId of targets) {
    const delivery = { id: randomUUID(), ruleId: 'r', ...notice, dueAt: at, notices: [{ incidentId, ...notice }] }
    plant.result('delivery.create', { ...owner, targetId, deliveries: [delivery], dropped: [] })
    const outcome = { state: 'sent', error: null, disablesTarget: false } as const
    if (targetId === 'sent') plant.result('delivery.record', { ...owner, id: delivery.id, ...outcome })
  }
  return plant
}

describe('records for a new log', () => {
  const store = useFreshDatabase('front')

  it('Every record is read, but of the deliveries only those that are not decided', async () => {
    const plant = plantWithDeliveries()
    await projectRecords(store(), plant.entries)
    const read: Change[] = []
    for await (const page of readStoredRecords(store())) read.push(...page)
    const lost = new Set(['claim', 'installation'])
    const current = [...plant.records.allRecords()].filter(
      ({ kind, record }) => !lost.has(kind) && !('sentAt' in record && record.sentAt !== null),
    )
    expect(current.filter(({ kind }) => kind === 'delivery')).to.have.length(1)
    expect(read.map(({ kind, id, after }) => ({ kind, id, record: after }))).to.have.deep.members(current)
  })
})
