import { expect } from 'chai'
import * as fc from 'fast-check'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import { demoRecords } from '../../../demo/simulate/demo-records.ts'
import { createPlant, type SimulatedSample } from '../../../demo/simulate/plant.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

const mondayMs = Date.parse('2024-05-06T00:00:00Z')
const dayMs = 24 * hourMs
const plant = createPlant({ seed: 7 })

function* lastValues(samples: readonly SimulatedSample[], key: string): Iterable<string> {
  for (const sample of samples) if (sample.key === key) yield String(sample.value)
}

describe('simulated plants', () => {
  it('The simulated samples of two adjacent ranges equal those of the whole range', () => {
    const instants = fc.integer({ min: mondayMs, max: mondayMs + 8 * dayMs })
    const lengths = fc.integer({ min: 0, max: hourMs })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 23 }), instants, lengths, lengths, (machine, fromMs, first, second) => {
        const ask = (startMs: number, endMs: number) =>
          createPlant({ seed: 7 }).samples(machine, startMs, endMs, { bulk: true })
        const middleMs = fromMs + first
        const halves = [...ask(fromMs, middleMs), ...ask(middleMs, middleMs + second)]
        expect(halves).to.deep.equal(plant.samples(machine, fromMs, middleMs + second, { bulk: true }))
      }),
      { numRuns: 40 },
    )
  })

  it('Simulated samples differ by seed and by machine, and machine ids and names are unique', () => {
    const shift = [mondayMs + 7 * hourMs, mondayMs + 9 * hourMs] as const
    const [mine, others, anotherSeed] = [
      plant.samples(0, ...shift, { bulk: false }),
      plant.samples(4, ...shift, { bulk: false }),
      createPlant({ seed: 8 }).samples(0, ...shift, { bulk: false }),
    ]
    expect(mine).not.to.deep.equal(others)
    expect(mine).not.to.deep.equal(anotherSeed)
    expect(new Set(createPlant({ seed: 7, machines: 10_000 }).machines.map(({ id }) => id)).size).to.equal(10_000)
    expect(new Set(plant.machines.map(({ name }) => name)).size).to.equal(24)
  })

  it('Simulated samples are in order, and the ingest accepts all of them', () => {
    const info = {
      ref: asMachineRef(1),
      companyRef: asCompanyRef(1),
      maxSampleAgeDays: 7300,
      namedKeys: new Set<string>(),
      counter: null,
    }
    for (const { id, index } of plant.machines) {
      const samples = plant.samples(index, mondayMs + 9 * hourMs, mondayMs + 9.2 * hourMs, { bulk: true })
      const times = samples.map(({ timestamp }) => timestamp)
      expect(times).to.deep.equal([...times].sort())
      const value = Buffer.from(JSON.stringify({ machineId: id, samples }))
      const { accepted, rejected } = decodeRecord(value, {
        machine: () => ({ id, ...info }),
        appendedAtMs: mondayMs + dayMs,
      })
      expect(rejected).to.deep.equal([])
      expect(accepted).to.have.length(samples.length)
    }
  })

  it('A simulated machine sends about one sample per second, of which a few percent are state samples', () => {
    const shift = [mondayMs + 8 * hourMs, mondayMs + 9 * hourMs] as const
    const count = (bulk: boolean) =>
      plant.machines.reduce((sum, { index }) => sum + plant.samples(index, ...shift, { bulk }).length, 0)
    const perSecond = count(true) / plant.machines.length / 3600
    expect(perSecond).to.be.within(0.5, 1.5)
    expect(count(false) / count(true)).to.be.within(0.01, 0.06)
    const bursts = plant.machines.map(({ index }) => {
      const perSecond = new Map<string, number>()
      for (const { timestamp } of plant.samples(index, ...shift, { bulk: true })) {
        perSecond.set(timestamp.slice(0, 19), (perSecond.get(timestamp.slice(0, 19)) ?? 0) + 1)
      }
      return Math.max(...perSecond.values())
    })
    expect(Math.max(...bursts)).to.be.within(40, 80)
  })

  it('The part counter of a simulated machine starts each day at 0 and increases by one per cycle', () => {
    const counting = plant.machines.filter(({ counts }) => counts === 'counter')
    expect(counting.length).to.be.above(10)
    for (const { index } of counting) {
      const samples = plant.samples(index, mondayMs, mondayMs + dayMs, { bulk: false })
      const counts = [...lastValues(samples, 'PartCountAct')].map(Number).filter(count => !Number.isNaN(count))
      for (const [i, count] of counts.entries()) expect(count - (counts[i - 1] ?? 0)).to.be.oneOf([0, 1])
    }
  })

  it('No simulated machine sends samples on Sundays, and every state occurs within a week', () => {
    const week = plant.machines.flatMap(({ index }) =>
      plant.samples(index, mondayMs, mondayMs + 7 * dayMs, { bulk: false }),
    )
    expect(
      week.filter(({ timestamp }) => timestamp.startsWith('2024-05-12') && timestamp.slice(11) > '00:00:01'),
    ).to.deep.equal([])
    const executions = new Set(lastValues(week, 'execution'))
    for (const value of [
      'ACTIVE',
      'READY',
      'FEED_HOLD',
      'INTERRUPTED',
      'STOPPED',
      'PROGRAM_COMPLETED',
      'UNAVAILABLE',
    ]) {
      expect(executions.has(value), value).to.equal(true)
    }
    expect(new Set(lastValues(week, 'execution2'))).to.include('ACTIVE')
    expect(new Set(lastValues(week, 'cutting'))).to.include('ACTIVE')
    expect(new Set(lastValues(week, 'estop'))).to.include('TRIGGERED')
    const levels = new Set(week.filter(({ category }) => category === 'CONDITION').map(({ value }) => value))
    expect([...levels]).to.have.members(['NORMAL', 'WARNING', 'FAULT', 'UNAVAILABLE'])
  })

  it('Every alarm that a simulated machine raises is cleared', () => {
    for (const { index } of plant.machines) {
      const active = new Set<string>()
      for (const { key, category, value, nativeCode } of plant.samples(index, mondayMs, mondayMs + 7 * dayMs, {
        bulk: false,
      })) {
        if (category !== 'CONDITION') continue
        if (value === 'WARNING' || value === 'FAULT') active.add(`${key}/${nativeCode}`)
        else if (nativeCode === undefined)
          for (const alarm of active) if (alarm.startsWith(`${key}/`)) active.delete(alarm)
        active.delete(value === 'NORMAL' ? `${key}/${nativeCode}` : '')
      }
      expect([...active]).to.deep.equal([])
    }
  })

  it('The records of a simulated plant are consistent and depend only on the seed', () => {
    const records = demoRecords(plant)
    const groups = new Set(records.machineGroups.map(({ id }) => id))
    expect(records.machines).to.have.length(24)
    expect(records.jobOperations.map(({ machineId }) => machineId)).to.deep.equal(records.machines.map(({ id }) => id))
    for (const { machineGroupIds, scheduleId } of records.machines) {
      expect(machineGroupIds.every(id => groups.has(id))).to.equal(true)
      expect(scheduleId).to.equal(records.schedules[0]?.id)
    }
    expect(demoRecords(createPlant({ seed: 7 }))).to.deep.equal(records)
  })

  it('The records of a plant in German differ from the English ones only in their names, of which none is English', () => {
    const [english, german] = (['en', 'de'] as const).map(language => demoRecords(createPlant({ seed: 7, language })))
    const names = new Set<string>()
    JSON.stringify(english, (key, value: unknown) => {
      if (key === 'name' || key === 'group') names.add(String(value))
      return value
    })
    const people = new Set(english?.operators.map(({ name }) => name))
    const named = new Set(['name', 'erpMachineId', 'operationName', 'group'])
    const withoutNames = (records: object | undefined) =>
      JSON.stringify(records, (key, value: unknown) => {
        if (!named.has(key)) return value
        if (records === german && !people.has(String(value))) expect(names).to.not.include(String(value))
        return ''
      })
    expect(withoutNames(german)).to.equal(withoutNames(english))
  })
})
