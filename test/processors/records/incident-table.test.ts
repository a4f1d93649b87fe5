import { expect } from 'chai'
import { memoryLimits } from '../../../processors/records/memory-bounds.ts'
import { Records } from '../../../processors/records/records.ts'
import { maxIncidentChanges } from '../../../schema/commands/incident-commands.ts'
import { settledAt } from '../../../schema/records/incident.ts'
import { instantText } from '../../../shared/time/instant.ts'
import { minuteMs } from '../../../shared/time/units.ts'
import { hour, Plant } from '../registrar/plant.ts'

/** Opens incidents of as many machines, each a minute after the last one; they have ended unless `isOpen`. */
function openMany(plant: Plant, fence: number, count: number, isOpen: boolean): void {
  const changes = Array.from({ length: count }, (_, index) => {
    const startedAt = instantText(plant.nowMs + index * minuteMs)
    const endedAt = isOpen ? null : instantText(plant.nowMs + (index + 1) * minuteMs)
    const id = crypto.randomUUID()
    const subject = { type: 'machine', id, name: 'Lathe' } as const
    const times = { startedAt, openedAt: startedAt, endedAt, reopened: 0 }
    return { type: 'open', id, ruleId: 'r', activeFrom: hour(0), subject, detail: {}, times } as const
  })
  plant.result('incident.evaluate', { partition: 0, fence, changes })
  if (!isOpen) plant.nowMs += count * minuteMs
}

describe('incidents in memory', () => {
  it('Incidents of connectors are found by type, also after changes', () => {
    const plant = new Plant()
    const condition = { connector: 'disconnected' } as const
    plant.result('alertRule.put', { id: 'r', name: 'Lost', severity: 'info', condition })
    const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
    openMany(plant, fence, 3, true)
    const id = crypto.randomUUID()
    const at = hour(0)
    const times = { startedAt: at, openedAt: at, endedAt: null, reopened: 0 }
    const opening = { type: 'open', id, ruleId: 'r', activeFrom: at, detail: {}, times } as const
    const subject = { type: 'connector', id: 'c', name: 'Hall' } as const
    plant.result('incident.evaluate', { partition: 0, fence, changes: [{ ...opening, subject }] })
    const ofType = (type: 'connector' | 'system') =>
      plant.records.incidents.ofType(plant.companyId, type).map(({ id, state }) => [id, state])
    expect(ofType('connector')).to.deep.equal([[id, 'open']])
    plant.result('incident.acknowledge', { id, by: { kind: 'user', id: crypto.randomUUID(), name: 'Ann' } })
    expect(ofType('connector')).to.deep.equal([[id, 'acknowledged']])
    expect(ofType('system')).to.deep.equal([])
  })

  it('Above the limit, the settled incidents that were settled first leave memory', () => {
    const plant = new Plant()
    plant.result('alertRule.put', { id: 'r', name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } })
    const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
    openMany(plant, fence, 50, true)
    for (let count = 0; count < 4; count++) openMany(plant, fence, maxIncidentChanges, false)
    const records = new Records({ ...memoryLimits, maxSettledIncidents: 100 })
    for (const [offset, entry] of plant.entries.entries()) records.apply(entry, offset)
    const kept = records.list('incident', plant.companyId)
    expect(kept.length).to.be.within(150, 2_000)
    expect(records.incidents.unresolvedCount(plant.companyId)).to.equal(50)
    const keptIds = new Set(kept.map(({ id }) => id))
    const fromAt = instantText(records.settledFromMs)
    for (const incident of plant.records.list('incident', plant.companyId)) {
      const isKept = (settledAt(incident) ?? fromAt) >= fromAt
      expect(keptIds.has(incident.id)).to.equal(isKept)
    }
    expect(records.memoryStart.settledFromMs).to.equal(records.settledFromMs)
  })
})
