import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import { memoryLimits } from '../../../processors/records/memory-bounds.ts'
import { dayMs } from '../../../shared/time/units.ts'
import { hour, Plant, startMs } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { projectRecords } from '../../support/project-records.ts'

const by = { kind: 'user', id: randomUUID(), name: 'Ann' } as const

/** A plant with an open, an ended, and a user-resolved incident whose condition holds. */
function plantWithIncidents() {
  const plant = new Plant()
  const [machineA, machineB] = [plant.machine(), plant.machine()]
  plant.result('alertRule.put', { id: 'r', name: 'Stop', severity: 'info', condition: { stop: { reasons: [] } } })
  const { fence } = plant.result('claim', { partition: 0, owner: 'test' }, { companyId: null })
  const ids = { open: randomUUID(), ended: randomUUID(), held: randomUUID() }
  const opening = (id: string, machineId: string, endedAt: string | null) => ({
    type: 'open' as const,
    id,
    ruleId: 'r',
    activeFrom: hour(0),
    subject: { type: 'machine' as const, id: machineId, name: 'Lathe' },
    detail: {},
    times: { startedAt: hour(-2), openedAt: hour(-2), endedAt, reopened: 0 },
  })
  const changes = [opening(ids.held, machineA, null), opening(ids.ended, machineB, hour(-1))]
  plant.result('incident.evaluate', { partition: 0, fence, changes })
  plant.result('incident.resolve', { id: ids.held, by })
  plant.result('incident.evaluate', { partition: 0, fence, changes: [opening(ids.open, machineA, null)] })
  return { plant, ids }
}

describe('incidents in the store', () => {
  const store = useFreshDatabase('front')

  beforeEach(() => store().command({ parts: ['TRUNCATE TABLE records'] }))
  beforeEach(() => store().command({ parts: ['TRUNCATE TABLE incidents'] }))

  it('A start reads incidents that are not settled, and those that were settled in the last days', async () => {
    const { plant, ids } = plantWithIncidents()
    await projectRecords(store(), plant.entries)
    const readAt = async (nowMs: number | null) => {
      const recent = nowMs === null ? null : { limits: memoryLimits, clock: () => nowMs }
      const found: string[] = []
      await createStoredRecords(store(), recent).readRecords(page =>
        page.forEach(({ kind, id }) => kind === 'incident' && found.push(id)),
      )
      return found.toSorted()
    }
    const [unsettled, all] = [[ids.held, ids.open].toSorted(), Object.values(ids).toSorted()]
    expect(await readAt(startMs + 13 * dayMs)).to.deep.equal(all)
    expect(await readAt(startMs + 15 * dayMs)).to.deep.equal(unsettled)
    expect(await readAt(null)).to.deep.equal(all)
  })

  it('A start reads the settled incidents up to the limit of memory, those that were settled last', async () => {
    const { plant, ids } = plantWithIncidents()
    await projectRecords(store(), plant.entries)
    const readUpTo = async (maxSettledIncidents: number) => {
      const found: string[] = []
      const recent = { limits: { ...memoryLimits, maxSettledIncidents }, clock: () => startMs }
      const { settledFromMs } = await createStoredRecords(store(), recent).readRecords(page =>
        page.forEach(({ kind, id }) => kind === 'incident' && found.push(id)),
      )
      return { found: found.toSorted(), settledFromMs }
    }
    const all = { found: Object.values(ids).toSorted(), settledFromMs: startMs - memoryLimits.incidentAgeMs }
    expect(await readUpTo(1)).to.deep.equal(all)
    expect(await readUpTo(0)).to.deep.equal({ found: [ids.held, ids.open].toSorted(), settledFromMs: startMs + 1 })
  })
})
