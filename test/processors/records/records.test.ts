import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { Records } from '../../../processors/records/records.ts'
import { Plant, hour } from '../registrar/plant.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

describe('Records', () => {
  it('Machines are found by id in any letter case, by ref, by name and by erpMachineId', () => {
    const plant = new Plant()
    const { records, companyId } = plant
    const b = plant.machine({ name: 'B', erpMachineId: 'erp' })
    const a = plant.machine({ name: 'A' })
    expect(records.machine(b.toUpperCase())?.id).to.equal(b)
    expect(records.machineByRef(asMachineRef(2))?.id).to.equal(a)
    expect(records.machines(companyId).map(({ id }) => id)).to.deep.equal([a, b])
    plant.result('machine.put', { id: a, name: 'C' })
    expect(records.machines(companyId).map(({ id }) => id)).to.deep.equal([b, a])
    expect(records.machineByErpId(companyId, 'erp')?.id).to.equal(b)
    plant.result('machine.put', { id: b, name: 'B', erpMachineId: 'other' })
    expect(records.machineByErpId(companyId, 'erp')).to.equal(null)
    expect([...records.allMachines()]).to.have.length(2)
    expect(records.list('machine', companyId)).to.have.length(2)
    expect(records.machine(randomUUID())).to.equal(null)
    expect(records.company(companyId)).to.equal(records.companyByRef(asCompanyRef(1)))
  })

  it('Records are visible only to their own company', () => {
    const plant = new Plant()
    const { records } = plant
    const { companyId } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    plant.result('operator.put', { id: 'ann', name: 'Ann of A' })
    plant.result('operator.put', { id: 'ann', name: 'Ann of B' }, { companyId })
    expect(records.get('operator', plant.companyId, 'ann')?.name).to.equal('Ann of A')
    expect(records.get('operator', companyId, 'ann')?.name).to.equal('Ann of B')
    plant.result('operator.delete', { id: 'ann' }, { companyId })
    expect(records.list('operator', companyId)).to.deep.equal([])
    expect(records.list('operator', plant.companyId)).to.have.length(1)
  })

  it('Subscribers receive every change of an entry, then the entry', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    const reasonId = plant.reason()
    plant.result('annotation.put', { machineId, reasonId, startAt: hour(0), endAt: hour(9) })
    const told: string[] = []
    const stops = [
      plant.records.onChange(({ kind }) => told.push(`${kind} ${plant.records.annotationsOf(machineId).length}`)),
      plant.records.onEntry(({ command }) => told.push(command.name)),
    ]
    plant.result('annotation.put', { machineId, reasonId, startAt: hour(3), endAt: hour(6) })
    for (const stop of stops) stop()
    plant.reason()
    expect(told).to.deep.equal(['annotation 1', 'annotation 2', 'annotation 3', 'annotation.put'])
  })

  it('Entries at known offsets are skipped, and a reader can wait for a later offset', async () => {
    const plant = new Plant()
    plant.machine()
    const [company, machine] = plant.entries
    if (!company || !machine) throw new Error('two entries')
    const records = new Records()
    expect(records.offset).to.equal(-1)
    const waited = records.waitFor(7)
    records.apply(company, 5)
    records.apply(machine, 5)
    expect(records.machineByRef(asMachineRef(1))).to.equal(null)
    records.apply(machine, 7)
    await waited
    await records.waitFor(6)
    expect(records.offset).to.equal(7)
    expect(records.machineByRef(asMachineRef(1))?.ref).to.equal(1)
  })

  it('An entry that repeats the outcome of a command is skipped', async () => {
    const plant = new Plant()
    const id = plant.machine({ erpMachineId: 'M1' })
    plant.result('jobRun.start', { erpJobOperationRunId: 'a', erpMachineId: 'M1', jobName: 'J', startAt: hour(1) })
    const records = new Records()
    const told: number[] = []
    records.onEntry((_, offset) => told.push(offset))
    const [company, machine, run] = plant.entries
    if (!company || !machine || !run) throw new Error('three entries')
    for (const [index, entry] of [company, machine, run, machine, run].entries()) records.apply(entry, index)
    await records.waitFor(4)
    expect(told).to.deep.equal([0, 1, 2])
    expect(records.runsOf(id)).to.have.length(1)
  })

  it('The runs of a machine are ordered by start, then by the order of their commands', () => {
    const plant = new Plant()
    const machine = plant.machine({ erpMachineId: 'M1' })
    for (const [id, at] of [
      ['c', 2],
      ['a', 0],
      ['d', 2],
      ['b', 1],
    ] as const)
      plant.result('jobRun.start', { erpJobOperationRunId: id, erpMachineId: 'M1', jobName: 'J', startAt: hour(at) })
    plant.result('jobRun.end', { erpJobOperationRunId: 'c', endAt: hour(3) })
    expect(plant.records.runsOf(machine).map(({ id, endAt }) => [id, endAt])).to.deep.equal([
      ['a', null],
      ['b', null],
      ['c', hour(3)],
      ['d', null],
    ])
  })
})
