import { expect } from 'chai'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { machineInputs, shareCalendars } from '../../../processors/records/machine-inputs.ts'
import { MachineInputCache } from '../../../processors/records/machine-input-cache.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { Plant, hour, startMs } from '../registrar/plant.ts'
import { hourMs } from '../../../shared/time/units.ts'

function machineOf(plant: Plant, id: string): MachineRecord {
  const machine = plant.records.machine(id)
  if (!machine) throw new Error('unknown machine')
  return machine
}

describe('machineInputs', () => {
  const calendarOf = shareCalendars(createCalendar)

  it("The inputs of a machine combine its settings, its company's settings and its schedule", () => {
    const plant = new Plant()
    plant.result('settings.put', { scheduledBy: 'job', autoProduction: true })
    plant.result('schedule.put', {
      id: 's',
      name: 'S',
      versions: [{ shifts: [{ name: 'Day', days: [1], start: '09:00', end: '17:00' }] }],
    })
    const id = plant.machine({ scheduleId: 's', staleAfterMs: 60_000, commissionedAt: hour(-5) })
    const inputs = machineInputs(plant.records, machineOf(plant, id), calendarOf)
    expect(inputs).to.deep.include({ companyRef: 1, machineRef: 1, scheduledBy: 'job', autoProduction: true })
    expect(inputs.settings).to.deep.include({ staleAfterMs: 60_000, partCounter: 'counter', cutSignal: null })
    expect(inputs.commissioned).to.deep.equal({ fromMs: startMs - 5 * hourMs, createdMs: startMs, toMs: null })
    const spans = inputs.calendar(startMs, startMs + 2 * hourMs)
    expect(spans.map(({ shift, nonOptional }) => [shift, nonOptional])).to.deep.equal([
      [0, false],
      [1, true],
    ])
    plant.result('machine.put', { id, name: 'M', scheduledBy: 'shift' })
    expect(machineInputs(plant.records, machineOf(plant, id), calendarOf).scheduledBy).to.equal('shift')
  })

  it('The inputs of a machine contain limited sign-ins, job runs, annotations and resolved adjustments', () => {
    const plant = new Plant()
    plant.result('settings.put', { operatorMaxHours: 8 })
    const id = plant.machine({ erpMachineId: 'M1' })
    plant.result('operator.put', { id: 'ann', name: 'Ann' })
    plant.result('operatorRun.start', { machineId: id, operatorId: 'ann' })
    plant.result('jobRun.start', {
      erpJobOperationRunId: 'r',
      erpMachineId: 'M1',
      jobName: 'J',
      startInSetup: true,
      startAt: hour(1),
    })
    plant.result('jobRun.production', { erpJobOperationRunId: 'r', productionAt: hour(2) })
    plant.result('annotation.put', { machineId: id, reasonId: plant.reason(), startAt: hour(3) })
    plant.result('partAdjustmentType.put', { name: 'T', reject_behavior: 'nonconform' })
    plant.result('partAdjustmentType.put', { name: 'U', reject_behavior: 'operator' })
    const adjust = (more: object) => plant.result('partAdjustment.create', { machine_id: id, scrapcount: 3, ...more })
    adjust({ category_id: 1, reject_behavior: 'scrap', adjustmenttime: hour(1) })
    adjust({ category_id: 2, reject_behavior: 'nonconform', adjustmenttime: hour(2) })
    adjust({ category_id: 2, adjustmenttime: hour(3) })
    adjust({ reject_behavior: 'nonconform', count: -3, adjustmenttime: hour(4) })
    const inputs = machineInputs(plant.records, machineOf(plant, id), calendarOf)
    expect(inputs.operators).to.deep.equal([{ operator: 1, startMs, endMs: startMs + 8 * hourMs }])
    expect(inputs.runs).to.deep.equal([
      { run: 1, startMs: startMs + hourMs, endMs: Infinity, startInSetup: true, productionMs: startMs + 2 * hourMs },
    ])
    expect(inputs.annotations).to.deep.equal([{ reason: 1, startMs: startMs + 3 * hourMs, endMs: Infinity }])
    expect(
      inputs.adjustments.map(({ count, scrap, nonconform, type }) => [count, scrap, nonconform, type]),
    ).to.deep.equal([
      [0, 0, 3, 1],
      [0, 0, 3, 2],
      [0, 3, 0, 2],
      [-3, 0, 3, 0],
    ])
  })

  it('Cached inputs of a machine are replaced only when a record of that machine changes', async () => {
    const plant = new Plant()
    const [a, b] = [plant.machine(), plant.machine()]
    const cache = new MachineInputCache({ records: plant.records, calendarOf })
    const read = async (id: string) => {
      const machine = machineOf(plant, id)
      const inputs = await cache.read([machine], { fromMs: startMs, toMs: startMs + hourMs })
      return inputs.get(machine.ref)
    }
    const [ofA, ofB] = [await read(a), await read(b)]
    plant.result('annotation.put', { machineId: a, reasonId: plant.reason(), startAt: hour(3) })
    expect(await read(a)).to.not.equal(ofA)
    expect(await read(b)).to.equal(ofB)
    plant.result('settings.put', { autoProduction: true })
    expect((await read(b))?.autoProduction).to.equal(true)
    cache.stop()
  })
})
