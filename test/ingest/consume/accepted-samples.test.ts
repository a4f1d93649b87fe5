import { expect } from 'chai'
import * as fc from 'fast-check'
import { LatestValues } from '../../../api/live/values/latest-values.ts'
import { findRun, AcceptedSamples } from '../../../ingest/consume/accepted-samples.ts'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import { decodeRecord, openRecord } from '../../../ingest/decode/record.ts'
import type { MachineInfo } from '../../../ingest/decode/validate.ts'
import { decodeJson } from '../../../ingest/decode/json.ts'
import type { LogRecord } from '../../../log/log.ts'
import { isStateSample } from '../../../processors/timeline/state-samples.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import type { Sample } from '../../../schema/sample.ts'
import { dayMs } from '../../../shared/time/units.ts'

const machineRef = asMachineRef(7)
const companyRef = asCompanyRef(3)
const appendedAtMs = Date.parse('2024-05-06T08:00:00Z')
const machine: MachineInfo = {
  id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  ref: machineRef,
  companyRef,
  maxSampleAgeDays: 30,
  namedKeys: new Set(['parts']),
  counter: { key: 'PARTS' },
}
const source: LogRecord = {
  topic: 'samples.v1',
  partition: 0,
  offset: 1,
  key: null,
  value: Buffer.alloc(0),
  headers: {},
  timestampMs: appendedAtMs,
}
const context = {
  machine: (id: string) => plant.find(each => each.id === id),
  machineByRef: (ref: MachineRef) => plant.find(each => each.ref === ref),
  appendedAtMs,
}
const bounds = { fromUs: (appendedAtMs - machine.maxSampleAgeDays * dayMs) * 1000, toUs: (appendedAtMs + dayMs) * 1000 }
const lathe: MachineInfo = { ...machine, id: 'lathe', ref: asMachineRef(8), namedKeys: new Set() }
const oven: MachineInfo = { ...machine, id: 'oven', ref: asMachineRef(9), maxSampleAgeDays: 20 }
const plant = [machine, lathe, oven]

const rarely = <T>(often: T, rare: T) => fc.oneof({ weight: 60, arbitrary: fc.constant(often) }, fc.constant(rare))
const anyText = fc.constantFrom('', 'é', '🚀', 'x'.repeat(127), 'y'.repeat(128), '\ud800', 'z'.repeat(20_000))
const name = fc.constantFrom('Xabs', 'execution', 'parts', 'Srpm', 'é', 'k'.repeat(200))
const names = fc.record({
  key: name,
  type: fc.constantFrom('POSITION', 'EXECUTION', 'PART_COUNT'),
  subtype: fc.constantFrom('', 'ACTUAL'),
  category: rarely<Sample['category']>('SAMPLE', 'CONDITION').chain(each =>
    fc.constantFrom<Sample['category']>(each, 'EVENT'),
  ),
  nativeCode: fc.constantFrom('', 'E1'),
  nativeSeverity: fc.constant(''),
  qualifier: fc.constantFrom('', 'HIGH'),
})
const nowUs = appendedAtMs * 1000
const sample: fc.Arbitrary<Omit<Sample, 'machineRef'>> = fc
  .tuple(
    names,
    fc.record({
      atUs: fc.oneof(
        { weight: 60, arbitrary: fc.integer({ min: nowUs - 200_000_000, max: nowUs }) },
        fc.constantFrom(bounds.fromUs, bounds.toUs, bounds.fromUs - 1, bounds.toUs + 1),
      ),
      value: fc.oneof({ weight: 20, arbitrary: fc.constantFrom('1.5', 'ACTIVE', '-7') }, anyText),
      message: rarely('', 'door is open'),
      numbers: rarely<number | null>(null, 5),
    }),
  )
  .map(([own, { numbers, ...rest }]) => Object.assign(rest, own, { instanceId: numbers, sequence: numbers }))

describe('AcceptedSamples', () => {
  it('A compact record accepted as a whole has the same samples as decoded one by one', () => {
    let wholes = 0
    const columns = new AcceptedSamples(0)
    const check = fc.property(fc.array(sample, { maxLength: 30 }), samples => {
      const packed = new CompactSamples(machine.id)
      for (const each of samples) packed.add(each)
      const { accepted, rejected } = decodeRecord(packed.bytes(), context)
      const [before, runsBefore] = [columns.rows.length, columns.runs.length]
      const isWhole = columns.appendPlain(source, openRecord(packed.bytes(), context))
      const runs = columns.runs.slice(runsBefore)
      if (!isWhole) {
        expect(runs).to.deep.equal([])
        expect(columns.rows.length).to.equal(before)
        const isPlain = samples.every(
          each => each.category !== 'CONDITION' && each.message === '' && each.sequence === null,
        )
        expect(isPlain && rejected.length === 0).to.equal(false)
        return
      }
      wholes++
      expect(rejected).to.deep.equal([])
      expect(runs).to.have.length(samples.length > 0 ? 1 : 0)
      const rows = Array.from({ length: columns.rows.length - before }, (_, i) => columns.rows.at(before + i))
      expect(rows).to.deep.equal(accepted.map(each => ({ companyRef, sample: each.sample })))
      const own = new Set(runs.flatMap(run => run.names.map(place => JSON.stringify(columns.rows.names[place]))))
      expect(own.size).to.be.at.least(new Set(rows.map(row => row.sample.key)).size)
    })
    fc.assert(check, { numRuns: 500 })
    expect(wholes).to.be.above(100)
  })

  it('A compact record of several machines has the same samples as decoded one by one, each with its machine', () => {
    let wholes = 0
    const check = fc.property(fc.array(fc.tuple(fc.nat(2), sample), { minLength: 1, maxLength: 12 }), samples => {
      const packed = new CompactSamples(null)
      for (const [place, each] of samples) {
        packed.of(plant[place]?.ref ?? machineRef)
        packed.add(each)
      }
      const bytes = packed.bytes()
      const { accepted, rejected } = decodeRecord(bytes, context)
      const [columns, oneByOne] = [new AcceptedSamples(0), new AcceptedSamples(0)]
      if (!columns.appendPlain(source, openRecord(bytes, context))) {
        expect(columns.rows.length).to.equal(0)
        return
      }
      if (samples.length > 1) wholes++
      oneByOne.append(source, accepted)
      expect(rejected).to.deep.equal([])
      expect([...columns.rows]).to.deep.equal([...oneByOne.rows])
      expect(columns.runs.map(({ machine: { id }, first, end, names: of }) => [id, first, end, of])).to.deep.equal(
        oneByOne.runs.map(({ machine: { id }, first, end, names: of }) => [id, first, end, of]),
      )
      for (const [place, run] of columns.runs.entries()) {
        const other = oneByOne.runs[place]
        if (other) expect(columns.newest(run)).to.deep.equal(oneByOne.newest(other))
      }
    })
    fc.assert(check, { numRuns: 500 })
    expect(wholes).to.be.above(100)
  })

  it('A damaged compact record is not accepted as a whole', () => {
    const packed = new CompactSamples(machine.id)
    for (const second of [0, 1, 2]) packed.add({ ...plain('Xabs', 'POSITION', '12.5'), atUs: nowUs - second * 1e6 })
    const bytes = packed.bytes()
    const whole = new AcceptedSamples(0)
    expect(whole.appendPlain(source, openRecord(bytes, context))).to.equal(true)
    expect(whole.runs.map(({ first, end }) => [first, end])).to.deep.equal([[0, 3]])
    const ends = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1)
    for (const end of ends) {
      const columns = new AcceptedSamples(0)
      const isWhole = columns.appendPlain(source, openRecord(bytes.subarray(0, end), context))
      const { accepted } = decodeRecord(bytes.subarray(0, end), context)
      expect([end, columns.rows.length]).to.deep.equal([end, isWhole ? accepted.length : 0])
    }
  })

  it('A plain JSON record has the same samples as a decoded one', () => {
    const samples = Array.from({ length: 60 }, (_, i) => ({
      timestamp: new Date(appendedAtMs - 60_000 + i * 100).toISOString(),
      key: `axis ${i % 7}`,
      type: 'position',
      ...(i % 2 === 0 && { subtype: 'ACTUAL' }),
      value: i % 5 === 0 ? 'unavailable' : i * 1.25,
    }))
    const value = Buffer.from(JSON.stringify({ machineId: machine.id, samples }))
    const columns = new AcceptedSamples(0)
    expect(columns.appendPlain(source, openRecord(value, context))).to.equal(true)
    expect([...columns.rows].map(row => row.sample)).to.deep.equal(
      decodeJson(value, context).accepted.map(each => each.sample),
    )
    const late = Buffer.from(
      JSON.stringify({ machineId: machine.id, samples: [{ ...samples[0], value: {} }, ...samples] }),
    )
    expect(columns.appendPlain(source, openRecord(late, context))).to.equal(false)
    expect(columns.rows.length).to.equal(samples.length)
  })

  it('Samples without some of them are the other ones, in their order and with their machines', () => {
    const check = fc.property(
      fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 30 }),
      fc.array(sample, { minLength: 30, maxLength: 30 }),
      (drawn, samples) => {
        const all = drawn.map(([place, isLeft], index) => {
          const of = plant[place] ?? machine
          const own: Sample = Object.assign({ machineRef: of.ref }, samples[index])
          return { index, machine: of, companyRef, sample: own, isLeft }
        })
        const columns = new AcceptedSamples(0)
        columns.append(source, all)
        const left = columns.without(new Set(all.flatMap(({ isLeft }, index) => (isLeft ? [] : [index]))))
        const fresh = new AcceptedSamples(0)
        fresh.append(
          source,
          all.filter(({ isLeft }) => isLeft),
        )
        expect([...left.rows]).to.deep.equal([...fresh.rows])
        const perMachine = (of: AcceptedSamples) =>
          of.runs.flatMap(run => of.all(run).map(each => [run.machine.id, run.source, each.machineRef]))
        expect(perMachine(left)).to.deep.equal(perMachine(fresh))
        for (const [place, { first }] of left.runs.entries())
          expect(findRun(left.runs, first)).to.equal(left.runs[place])
      },
    )
    fc.assert(check, { numRuns: 200 })
  })

  it('A run has at most 2,000 samples', () => {
    const packed = new CompactSamples(machine.id)
    for (let i = 0; i < 2_000; i++) packed.add({ ...plain('Xabs', 'POSITION', '1'), atUs: nowUs })
    const { accepted } = decodeRecord(packed.bytes(), context)
    const columns = new AcceptedSamples(0)
    columns.append(source, [...accepted, ...accepted, ...accepted.slice(0, 1)])
    expect(columns.runs.map(({ first, end }) => [first, end])).to.deep.equal([
      [0, 2_000],
      [2_000, 4_000],
      [4_000, 4_001],
    ])
  })

  it('Reused columns contain only the samples of the new slice, and earlier runs stay valid', () => {
    const used = new AcceptedSamples(0)
    const check = fc.property(fc.array(sample, { maxLength: 20 }), samples => {
      const accepted = decodeRecord(packedOf(samples), context).accepted
      const columns = used.reuse() ? used : new AcceptedSamples(0)
      const fresh = new AcceptedSamples(0)
      for (const each of [columns, fresh]) each.append(source, accepted)
      expect([...columns.rows]).to.deep.equal([...fresh.rows])
      for (const read of [(of: AcceptedSamples) => of.runs.map(run => of.newest(run)), decidingOf])
        expect(read(columns)).to.deep.equal(read(fresh))
      const kept = columns.runs
      columns.reuse()
      expect(kept.map(({ first, end }) => [first, end])).to.deep.equal(fresh.runs.map(({ first, end }) => [first, end]))
    })
    fc.assert(check, { numRuns: 200 })
  })

  it('State samples are listed, and the newest values equal those of all samples', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 40 }), samples => {
        const accepted = decodeRecord(packedOf(samples), context).accepted
        const columns = new AcceptedSamples(0)
        columns.append(source, accepted)
        const all = accepted.map(each => each.sample)
        const deciding = columns.runs.flatMap(run => columns.stateSamples(run))
        expect(deciding).to.deep.equal(all.filter(each => isStateSample(each, machine.namedKeys)))
        const [everyone, newest] = [new LatestValues(), new LatestValues()]
        for (const each of all) everyone.apply(each)
        for (const each of columns.runs.flatMap(run => columns.newest(run))) newest.apply(each)
        expect(valuesOf(newest)).to.have.deep.members(valuesOf(everyone))
      }),
    )
  })

  it('Values up to an instant include the newest one, and all later values are listed', () => {
    const anInstant = fc.integer({ min: nowUs - 220_000_000, max: nowUs + 1 })
    const check = fc.property(fc.array(sample, { maxLength: 40 }), anInstant, (samples, untilUs) => {
      const columns = new AcceptedSamples(0)
      columns.append(source, decodeRecord(packedOf(samples), context).accepted)
      const isDue = ({ atUs }: Sample) => atUs <= untilUs
      const all = columns.runs.flatMap(run => columns.all(run))
      const newestOfAll = columns.runs.flatMap(run => columns.newest(run, untilUs))
      const [everyone, newest] = [new LatestValues(), new LatestValues()]
      for (const each of all.filter(isDue)) everyone.apply(each)
      for (const each of newestOfAll.filter(isDue)) newest.apply(each)
      expect(valuesOf(newest)).to.have.deep.members(valuesOf(everyone))
      expect(newestOfAll.filter(each => !isDue(each))).to.deep.equal(all.filter(each => !isDue(each)))
      expect(newestOfAll.length).to.be.at.most(all.length)
    })
    fc.assert(check, { numRuns: 500 })
  })
})

function decidingOf(columns: AcceptedSamples): readonly unknown[] {
  return columns.runs.map(run => columns.stateSamples(run))
}

function packedOf(samples: readonly Omit<Sample, 'machineRef'>[]): Buffer {
  const packed = new CompactSamples(machine.id)
  for (const each of samples) packed.add(each)
  return packed.bytes()
}

function valuesOf(values: LatestValues): readonly unknown[] {
  const all: unknown[] = []
  values.each(machineRef, ({ metric: { key, type, subtype }, atUs, value }) =>
    all.push([key, type, subtype, atUs, value]),
  )
  return all
}

function plain(key: string, type: string, value: string): Omit<Sample, 'machineRef' | 'atUs'> {
  const names = {
    key,
    type,
    subtype: '',
    category: 'SAMPLE' as const,
    nativeCode: '',
    nativeSeverity: '',
    qualifier: '',
  }
  return { ...names, value, message: '', instanceId: null, sequence: null }
}
