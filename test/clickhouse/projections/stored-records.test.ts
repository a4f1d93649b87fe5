import { expect } from 'chai'
import { resetPosition } from '../../../clickhouse/projections/records.ts'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import { readRecordsById } from '../../../clickhouse/projections/records-by-id.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { positionOf, projectRecords } from '../../support/project-records.ts'

describe('stored records', () => {
  const store = useFreshDatabase('front')
  const read = async (): Promise<Change[]> => {
    const changes: Change[] = []
    await createStoredRecords(store()).readRecords(page => void changes.push(...page))
    return changes
  }

  beforeEach(() => store().command({ parts: ['TRUNCATE TABLE records'] }))

  it('The position is that of the last projected entry, and null before the first and after a reset', async () => {
    const stored = createStoredRecords(store())
    expect(await stored.readPosition()).to.equal(null)
    const plant = new Plant()
    plant.result('downtimeReason.put', { name: 'Tool' })
    for (const [offset, entry] of plant.entries.entries()) {
      await projectRecords(store(), [entry], offset)
      expect(await stored.readPosition()).to.deep.equal(positionOf(entry, offset))
    }
    await resetPosition(store(), 100)
    expect(await stored.readPosition()).to.equal(null)
  })

  it('An entry without changes does not move the position', async () => {
    const plant = new Plant()
    const [first] = plant.entries
    if (!first) throw new Error('The plant has no entry')
    await projectRecords(store(), [first], 0)
    plant.refusal('downtimeReason.put', { name: '' })
    await projectRecords(store(), plant.entries.slice(1), 1)
    expect(await createStoredRecords(store()).readPosition()).to.deep.equal(positionOf(first, 0))
  })

  it('The current records are read, and the deleted ones of the kinds whose ids callers choose', async () => {
    const plant = new Plant()
    for (const name of ['Mill', 'Lathe "ü\n"']) plant.result('machineGroup.put', { id: crypto.randomUUID(), name })
    for (let i = 0; i < 1_100; i++) plant.result('downtimeReason.put', { name: `Reason ${i}` })
    plant.result('downtimeReason.delete', { id: 7 })
    const [group] = plant.records.list('machineGroup', plant.companyId)
    plant.result('machineGroup.delete', { id: group?.id ?? '' })
    await projectRecords(store(), plant.entries)
    const current = (await read()).map(({ kind, id, after }) => ({ kind, id, record: after }))
    expect(current).to.have.deep.members([...plant.records.allRecords()])
    const deleted = await createStoredRecords(store()).readDeletedRecords()
    expect(deleted.map(({ kind, id, before, after }) => [kind, id, before?.id, after])).to.deep.equal([
      ['downtimeReason', '7', 7, null],
    ])
  })

  it('Records by id are the newest ones of their kind and company; deleted ones are not found', async () => {
    const plant = new Plant()
    const ids = ['a', 'b', 'c', 'd']
    for (const id of ids) plant.result('operator.put', { id, name: 'first' })
    plant.result('operator.put', { id: 'a', name: 'second' })
    plant.result('operator.delete', { id: 'b' })
    plant.result('operator.delete', { id: 'c' })
    plant.result('operator.put', { id: 'c', name: 'again' })
    // The parts of the table, an insert each, are in another order than the versions.
    for (const [offset, entry] of [...plant.entries.entries()].toReversed())
      await projectRecords(store(), [entry], offset)
    const found = async (kind: 'operator' | 'machine', companyId: string) => {
      const records = await readRecordsById(store(), kind, companyId, [...ids, 'unknown'], {})
      return records.map(({ id, name }) => `${id} ${name}`).toSorted()
    }
    expect(await found('operator', plant.companyId)).to.deep.equal(['a second', 'c again', 'd first'])
    expect(await found('machine', plant.companyId)).to.deep.equal([])
    expect(await found('operator', crypto.randomUUID())).to.deep.equal([])
    expect(await readRecordsById(store(), 'operator', plant.companyId, [], {})).to.deep.equal([])
  })
})
