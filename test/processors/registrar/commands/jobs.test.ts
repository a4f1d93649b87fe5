import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { findEffectiveRun, effectiveRuns } from '../../../../processors/records/effective-runs.ts'
import type { JobRunRecord } from '../../../../schema/records/job-run.ts'
import { Plant, hour } from '../plant.ts'

function started(plant: Plant, id: string, startAt: string | null, more: object = {}): JobRunRecord {
  return plant.result('jobRun.start', {
    erpJobOperationRunId: id,
    erpMachineId: 'M1',
    jobName: 'J1',
    startAt,
    ...more,
  })
}

describe('jobRun.start', () => {
  it('jobRun.start creates a new operation and reuses an existing one', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    const first = started(plant, 'r1', null, { idealPartTime: 60_000, partName: null, quantityRequired: 5 })
    expect(first).to.include({ startAt: hour(0), ref: 1, startSequence: 1, startInSetup: false, endAt: null })
    const second = started(plant, 'r2', hour(1), { idealPartTime: 1, lotName: '', startInSetup: true })
    expect(second).to.include({ jobOperationId: first.jobOperationId, startInSetup: true, startSequence: 2 })
    const operation = plant.records.get('jobOperation', plant.companyId, first.jobOperationId)
    expect(operation).to.include({ jobName: 'J1', lotName: '', idealPartTime: 60_000, quantityRequired: 5 })
    expect(started(plant, 'r3', hour(2), { lotName: 'L' }).jobOperationId).to.not.equal(first.jobOperationId)
  })

  it('A repeated jobRun.start returns the first run unchanged', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    const first = started(plant, 'r1', hour(0))
    expect(started(plant, 'r1', hour(1), { jobName: 'other' })).to.deep.equal(first)
    plant.result('jobRun.end', { erpJobOperationRunId: 'r1', endAt: hour(2) })
    expect(started(plant, 'r1', hour(0)).startAt).to.equal(hour(0))
    const again = { erpJobOperationRunId: 'r1', erpMachineId: 'M1', jobName: 'J1', startAt: hour(3) }
    expect(plant.faults('jobRun.start', again)).to.deep.equal(['startAt InvalidDataItem'])
  })

  it('ERP run ids are case-sensitive, also if they are UUIDs', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    const id = 'ABCDEF00-0000-4000-8000-000000000001'
    const first = started(plant, id, hour(0))
    expect(started(plant, id, hour(0)), 'told again').to.deep.equal(first)
    expect(plant.result('jobRun.end', { erpJobOperationRunId: id, endAt: hour(1) }).endAt).to.equal(hour(1))
    expect(plant.refusal('jobRun.end', { erpJobOperationRunId: id.toLowerCase() }).status).to.equal(404)
  })

  it('A run counts as ended once the next run has started', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    started(plant, 'r1', hour(0))
    started(plant, 'r2', hour(1))
    plant.nowMs += 2 * 3_600_000
    expect(
      plant.refusal('jobRun.start', { erpJobOperationRunId: 'r1', erpMachineId: 'M1', jobName: 'J1' }).status,
    ).to.equal(400)
  })

  it('jobRun.start for an unknown machine is rejected with 404, and two companies can use the same run id', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    const { companyId } = plant.result('company.create', { companyName: 'B' }, { companyId: null })
    const payload = { erpJobOperationRunId: 'r1', erpMachineId: 'M1', jobName: 'J1' }
    expect(plant.refusal('jobRun.start', payload, { companyId }).status).to.equal(404)
    plant.result('jobRun.start', payload)
    expect(plant.refusal('jobRun.end', { erpJobOperationRunId: 'r1' }, { companyId }).status).to.equal(404)
    plant.result('machine.put', { id: randomUUID(), name: 'B1', erpMachineId: 'M1' }, { companyId })
    expect(plant.result('jobRun.start', payload, { companyId }).companyId).to.equal(companyId)
    expect(plant.records.get('jobRun', plant.companyId, 'r1')?.companyId).to.equal(plant.companyId)
  })

  it('jobRun.start lists every invalid field', () => {
    expect(
      new Plant().faults('jobRun.start', { erpMachineId: 5, startAt: 'today', idealPartTime: 1.5 }),
    ).to.have.members([
      'erpJobOperationRunId Required',
      'jobName Required',
      'erpMachineId InvalidType',
      'startAt InvalidDate',
      'idealPartTime InvalidType',
    ])
  })
})

describe('jobRun.production and jobRun.end', () => {
  it('jobRun.production and jobRun.end default to now, ignore repeats without an instant and accept corrections', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    started(plant, 'r1', hour(0), { startInSetup: true })
    const told = (name: 'jobRun.production' | 'jobRun.end', more: object = {}) =>
      plant.result(name, { erpJobOperationRunId: 'r1', ...more })
    plant.nowMs += 3_600_000
    expect(told('jobRun.production').productionAt).to.equal(hour(1))
    plant.nowMs += 3_600_000
    expect(told('jobRun.production').productionAt).to.equal(hour(1))
    expect(told('jobRun.production', { productionAt: hour(0.5) }).productionAt).to.equal(hour(0.5))
    expect(told('jobRun.end').endAt).to.equal(hour(2))
    plant.nowMs += 3_600_000
    expect(told('jobRun.end', { endAt: null }).endAt).to.equal(hour(2))
    expect(told('jobRun.end', { endAt: '2026-03-02T11:30:00+02:00' }).endAt).to.equal(hour(1.5))
  })

  it('jobRun.end and jobRun.production reject an instant before the start of the run, and an unknown run', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    started(plant, 'r1', hour(1))
    const early = { erpJobOperationRunId: 'r1', endAt: hour(0.5), productionAt: hour(0.5) }
    expect(plant.faults('jobRun.end', early)).to.deep.equal(['endAt InvalidRange'])
    expect(plant.faults('jobRun.production', early)).to.deep.equal(['productionAt InvalidRange'])
    expect(plant.refusal('jobRun.end', { erpJobOperationRunId: 'r9' }).status).to.equal(404)
    const ended = plant.result('jobRun.end', { erpJobOperationRunId: 'r1' })
    expect(ended.endAt, 'end of a run that ended before its start').to.equal(hour(1))
  })
})

describe('effectiveRuns', () => {
  it('A run is cut at the start of the next run, in any order of the commands', () => {
    const plant = new Plant()
    const machine = plant.machine({ erpMachineId: 'M1' })
    started(plant, 'b', hour(2))
    started(plant, 'a', hour(0))
    started(plant, 'undone', hour(1))
    plant.result('jobRun.end', { erpJobOperationRunId: 'undone', endAt: hour(1) })
    started(plant, 'b2', hour(2))
    plant.result('jobRun.end', { erpJobOperationRunId: 'b', endAt: hour(2.5) })
    const counted = effectiveRuns(plant.records.runsOf(machine))
    expect(counted.map(({ run, startMs, endMs }) => [run.id, startMs, endMs])).to.deep.equal([
      ['a', Date.parse(hour(0)), Date.parse(hour(2))],
      ['b2', Date.parse(hour(2)), Infinity],
    ])
    const runs = plant.records.runsOf(machine)
    for (const run of runs)
      expect(findEffectiveRun(run, runs), run.id).to.deep.equal(counted.find(each => each.run === run) ?? null)
  })
})

describe('jobOperation', () => {
  it('A job operation is found by its names, and two operations of the same names are rejected', () => {
    const plant = new Plant()
    const machineId = plant.machine()
    plant.result('machineGroup.put', { id: 'g', name: 'G', machineIds: [machineId] })
    const operation = plant.result('jobOperation.put', {
      id: 'o1',
      jobName: 'J',
      partName: 'P',
      idealPartTime: 30_000.5,
      workCenters: [{ machineId, idealPartTime: 1 }, { machineGroupId: 'g' }],
    })
    const names = { jobName: 'J', lotName: '', operationName: '', partName: 'P' }
    expect(plant.records.jobOperation(plant.companyId, names)).to.deep.equal(operation)
    expect(plant.do('jobOperation.put', operation).changes).to.deep.equal([])
    expect(
      plant.faults('jobOperation.put', {
        id: 'o2',
        ...names,
        workCenters: [{}, { machineId, machineGroupId: 'g' }, { machineGroupId: 'x' }, { machineId: randomUUID() }],
      }),
    ).to.have.members([
      'jobName InvalidDataItem',
      'workCenters[0] Required',
      'workCenters[1] MutuallyExclusive',
      'workCenters[2].machineGroupId InvalidDataItem',
      'workCenters[3].machineId InvalidDataItem',
    ])
    const { status, message } = plant.refusal('machineGroup.delete', { id: 'g' })
    expect(status).to.equal(409)
    expect(message).to.match(/^In use by 1 machine: Machine \w+; 1 job operation: J \/ P$/)
    plant.result('machineGroup.put', { id: 'g', name: 'G', machineIds: [] })
    expect(plant.refusal('machineGroup.delete', { id: 'g' }).message).to.equal('In use by 1 job operation: J / P')
    plant.result('jobOperation.put', { ...operation, workCenters: [{ machineId }] })
    expect(plant.result('machineGroup.delete', { id: 'g' })).to.equal(null)
    expect(plant.result('jobOperation.delete', { id: 'o1' })).to.equal(null)
    expect(plant.records.jobOperation(plant.companyId, names)).to.equal(null)
  })

  it('A job operation with runs cannot be deleted', () => {
    const plant = new Plant()
    plant.machine({ erpMachineId: 'M1' })
    const { jobOperationId } = started(plant, 'r1', null)
    for (let index = 2; index <= 7; index++) started(plant, `r${index}`, hour(index))
    expect(plant.refusal('jobOperation.delete', { id: jobOperationId })).to.include({
      status: 409,
      message: 'In use by 7 job runs: r1, r2, r3, r4, r5 and 2 more; archive it instead',
    })
  })
})
