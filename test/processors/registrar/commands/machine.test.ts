import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { defaultMachineSettings } from '../../../../schema/records/machine.ts'
import { Plant, hour } from '../plant.ts'

describe('machine.put', () => {
  it('Omitted and null settings of a machine take their defaults', () => {
    const plant = new Plant()
    const id = randomUUID().toUpperCase()
    const made = plant.result('machine.put', { id, name: 'Mill', partCounter: null, maxPartJump: null })
    expect(made).to.deep.equal({
      ...defaultMachineSettings,
      id: id.toLowerCase(),
      ref: 1,
      companyId: plant.companyId,
      name: 'Mill',
      createdAt: hour(0),
    })
    expect(plant.records.machine(id)).to.deep.equal(made)
  })

  it('machine.put replaces all settings, keeps ref and creation time, and changes nothing if repeated', () => {
    const plant = new Plant()
    const id = plant.machine({ make: 'Haas', thresholds: { oeeWarning: 0.8, oeeFailure: null } })
    plant.nowMs += 60_000
    const after = plant.result('machine.put', { id, name: 'Lathe' })
    expect(after).to.include({ ref: 1, make: null, createdAt: hour(0) })
    expect(after.thresholds).to.deep.equal({})
    expect(plant.do('machine.put', { id, name: 'Lathe' }).changes).to.deep.equal([])
  })

  it('machine.put lists every invalid field', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    expect(
      plant.faults('machine.put', {
        id: 'x',
        partCounter: 'sum',
        microstopMs: 3_600_001,
        staleAfterMs: 59_999,
        scheduledBy: 'me',
        cutSignal: { key: 'Sload' },
        thresholds: { oeeWarning: 1.1 },
        commissionedAt: '2026-02-30T00:00:00Z',
        spindleAbove: '1',
      }),
    ).to.have.members([
      'name Required',
      'id InvalidDataItem',
      'partCounter InvalidEnum',
      'microstopMs OutOfRange',
      'staleAfterMs OutOfRange',
      'scheduledBy InvalidEnum',
      'cutSignal.above Required',
      'thresholds.oeeWarning OutOfRange',
      'commissionedAt InvalidDate',
      'spindleAbove InvalidType',
    ])
    expect(
      plant.faults('machine.put', {
        id: randomUUID(),
        name: 'Mill',
        microstopMs: -1,
        scheduleId: 'none-such',
        machineGroupIds: ['a', 'b'],
        commissionedAt: '2026-03-02T10:00:00+02:00',
        decommissionedAt: '2026-03-02T08:00:00Z',
      }),
    ).to.have.members([
      'microstopMs OutOfRange',
      'scheduleId InvalidDataItem',
      'machineGroupIds[0] InvalidDataItem',
      'machineGroupIds[1] InvalidDataItem',
      'decommissionedAt InvalidRange',
    ])
    expect(plant.faults('machine.put', { id: randomUUID(), name: 'Mill', erpMachineId: 'M1' })).to.deep.equal([
      'erpMachineId InvalidDataItem',
    ])
  })

  it('A change of a machine of another company is rejected with 404', () => {
    const plant = new Plant()
    const id = plant.machine()
    const { companyId } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    const before = plant.records.machine(id)
    expect(plant.refusal('machine.put', { id, name: 'Mine' }, { companyId }).status).to.equal(404)
    expect(plant.refusal('machine.delete', { id }, { companyId }).status).to.equal(404)
    expect(plant.records.machine(id)).to.equal(before)
    expect(plant.records.get('machine', companyId, id)).to.equal(null)
  })

  it('machine.put for an unknown company is rejected with 404', () => {
    expect(new Plant().refusal('machine.put', { id: randomUUID(), name: 'A' }, { companyId: 'x' }).status).to.equal(404)
  })
})

describe('machine.delete', () => {
  it('machine.delete decommissions the machine once and releases its erpMachineId', () => {
    const plant = new Plant()
    const id = plant.machine({ erpMachineId: 'M1' })
    expect(plant.result('machine.delete', { id })).to.equal(null)
    expect(plant.records.machine(id)?.decommissionedAt).to.equal(hour(0))
    plant.nowMs += 1000
    expect(plant.do('machine.delete', { id }).changes).to.deep.equal([])
    expect(plant.records.machineByErpId(plant.companyId, 'M1')?.id).to.equal(id)
    const successor = plant.machine({ erpMachineId: 'M1' })
    expect(plant.records.machineByErpId(plant.companyId, 'M1')?.id).to.equal(successor)
    expect(plant.faults('machine.put', { id, name: 'Back', erpMachineId: 'M1' })).to.deep.equal([
      'erpMachineId InvalidDataItem',
    ])
  })
})

describe('machineGroup', () => {
  it('A machine group has exactly the given machines and cannot be deleted while it has any', () => {
    const plant = new Plant()
    const [a, b] = [plant.machine(), plant.machine()]
    plant.result('machineGroup.put', { id: 'mills', name: 'Mills', machineIds: [a, b.toUpperCase()] })
    expect([...plant.records.machinesOfGroup(plant.companyId, 'mills')]).to.have.members([a, b])
    plant.result('machineGroup.put', { id: 'mills', name: 'Mills', machineIds: [b] })
    expect([...plant.records.machinesOfGroup(plant.companyId, 'mills')]).to.deep.equal([b])
    expect(plant.do('machineGroup.put', { id: 'mills', name: 'Mills' }).changes).to.deep.equal([])
    expect(plant.faults('machineGroup.put', { id: 'x', name: 'X', machineIds: [randomUUID()] })).to.deep.equal([
      'machineIds[0] InvalidDataItem',
    ])
    expect(plant.refusal('machineGroup.delete', { id: 'mills' }).status).to.equal(409)
    plant.result('machineGroup.put', { id: 'mills', name: 'Mills', machineIds: [] })
    expect(plant.records.machine(b)?.machineGroupIds).to.deep.equal([])
    expect(plant.result('machineGroup.delete', { id: 'mills' })).to.equal(null)
    expect(plant.refusal('machineGroup.delete', { id: 'mills' }).status).to.equal(404)
  })

  it('The machine group id "none" is rejected', () => {
    expect(new Plant().faults('machineGroup.put', { id: 'none', name: 'N' })).to.deep.equal(['id InvalidDataItem'])
  })
})
