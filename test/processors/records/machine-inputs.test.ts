import { expect } from 'chai'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { machineInputs, shareCalendars } from '../../../processors/records/machine-inputs.ts'
import { MachineInputCache } from '../../../processors/records/machine-input-cache.ts'
import type { RecordHistory } from '../../../processors/records/record-history.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { Plant, hour, startMs } from '../registrar/plant.ts'
import type { Range } from '../../../processors/timeline/commission.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { must } from '../timeline/support.ts'

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

  describe('from stored records', () => {
    const range = { fromMs: startMs, toMs: startMs + hourMs }
    const noRecords = { jobRuns: [], operatorRuns: [], annotations: [], partAdjustments: [] }

    /** A cache whose reads of the store wait for `resolve`, and return the records in memory at that time. */
    function stored(plant: Plant, inMemoryFromMs = Infinity) {
      const reads: (() => void)[] = []
      const readRecords: RecordHistory['readRecords'] = async (_, spans) => {
        await new Promise<void>(resolve => reads.push(resolve))
        return spans.map(({ machineId }) => ({ ...noRecords, annotations: plant.records.annotationsOf(machineId) }))
      }
      const history = { readRecords, inMemoryFromMs: () => inMemoryFromMs }
      const cache = new MachineInputCache({ records: plant.records, calendarOf, history })
      return { cache, reads }
    }

    it('Inputs that were read from the store are cached until a record of that machine changes', async () => {
      const plant = new Plant()
      const [a, b] = [plant.machine(), plant.machine()].map(id => machineOf(plant, id))
      const { cache, reads } = stored(plant)
      const read = async (...machines: MachineRecord[]) => {
        const inputs = cache.read(machines, range)
        reads.pop()?.()
        return inputs
      }
      const first = await read(must(a), must(b))
      expect(await read(must(b), must(a))).to.have.deep.members([...first].reverse())
      plant.result('annotation.put', { machineId: must(a).id, reasonId: plant.reason(), startAt: hour(0) })
      const second = await read(must(a), must(b))
      expect(second.get(must(a).ref)?.annotations).to.have.length(1)
      expect(second.get(must(b).ref)).to.equal(first.get(must(b).ref))
    })

    it('A change during a read of the store is in the inputs of the next read', async () => {
      const plant = new Plant()
      const [a, b] = [plant.machine(), plant.machine()].map(id => machineOf(plant, id))
      const { cache, reads } = stored(plant)
      const readRecords = cache.read([must(a), must(b)], range)
      plant.result('annotation.put', { machineId: must(a).id, reasonId: plant.reason(), startAt: hour(0) })
      plant.result('annotation.delete', { id: must(plant.records.annotationsOf(must(a).id)[0]).id })
      must(reads.pop())()
      const during = await readRecords
      const next = cache.read([must(a), must(b)], range)
      expect(reads, 'reads of the changed machine').to.have.length(1)
      must(reads.pop())()
      expect((await next).get(must(a).ref)).to.not.equal(during.get(must(a).ref))
      expect((await next).get(must(b).ref)).to.equal(during.get(must(b).ref))
    })

    it('Inputs of older hours are cached beside those of the newest hours, until a record changes', async () => {
      const plant = new Plant()
      const machine = machineOf(plant, plant.machine())
      const { cache, reads } = stored(plant)
      const older = { fromMs: startMs - 1000 * hourMs, toMs: startMs - 999 * hourMs }
      const read = async (of: Range) => {
        const inputs = cache.read([machine], of)
        reads.pop()?.()
        return (await inputs).get(machine.ref)
      }
      const [newest, old] = [await read(range), await read(older)]
      expect(await read(range)).to.equal(newest)
      expect(await read(older)).to.equal(old)
      plant.result('annotation.put', { machineId: machine.id, reasonId: plant.reason(), startAt: hour(-1000) })
      expect((await read(older))?.annotations).to.have.length(1)
      plant.result('settings.put', { autoProduction: true })
      expect((await read(older))?.autoProduction).to.equal(true)
      expect((await read(range))?.autoProduction).to.equal(true)
    })

    it('Cached inputs of older hours of all machines have a limit', async () => {
      const plant = new Plant()
      const [a, b] = [plant.machine(), plant.machine()].map(id => machineOf(plant, id))
      plant.result('annotation.put', { machineId: must(a).id, reasonId: plant.reason(), startAt: hour(-1000) })
      const annotations = Array.from({ length: 150_000 }, () => must(plant.records.annotationsOf(must(a).id)[0]))
      let reads = 0
      const readRecords: RecordHistory['readRecords'] = (_, spans) => {
        reads += spans.length
        return Promise.resolve(spans.map(() => ({ ...noRecords, annotations })))
      }
      const history = { readRecords, inMemoryFromMs: () => startMs }
      const cache = new MachineInputCache({ records: plant.records, calendarOf, history })
      await cache.read([must(a), must(b)], range)
      const older = { fromMs: startMs - 1000 * hourMs, toMs: startMs - 999 * hourMs }
      for (const machine of [must(a), must(a), must(b), must(b), must(a)]) await cache.read([machine], older)
      expect(reads).to.equal(3)
    })

    it('Hours from the time on whose records are in memory need no read of the store', async () => {
      const plant = new Plant()
      const machine = machineOf(plant, plant.machine())
      const { cache, reads } = stored(plant, startMs)
      expect((await cache.read([machine], range)).size).to.equal(1)
      const previousHour = cache.read([machine], { fromMs: startMs - hourMs, toMs: startMs })
      must(reads.pop())()
      expect((await previousHour).size).to.equal(1)
    })
  })
})
