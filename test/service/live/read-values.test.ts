import { expect } from 'chai'
import * as fc from 'fast-check'
import { LatestValues } from '../../../api/live/values/latest-values.ts'
import { AcceptedSamples } from '../../../ingest/consume/accepted-samples.ts'
import { liveRecords } from '../../../ingest/consume/forward.ts'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import { openRecord } from '../../../ingest/decode/record.ts'
import type { Accepted, MachineInfo } from '../../../ingest/decode/validate.ts'
import type { LogRecord, NewRecord } from '../../../log/log.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { ValuesReader } from '../../../service/live/read-values.ts'

const nowUs = Date.parse('2024-05-06T08:00:00Z') * 1000
const machines = [1, 2, 300].map((ref): MachineInfo => ({
  id: `machine ${ref}`,
  ref: asMachineRef(ref),
  companyRef: asCompanyRef(1),
  maxSampleAgeDays: 30,
  namedKeys: new Set(),
  counter: null,
}))
const context = {
  machine: (id: string) => machines.find(machine => machine.id === id),
  machineByRef: (ref: MachineRef) => machines.find(machine => machine.ref === ref),
  appendedAtMs: nowUs / 1000,
}
const often = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(usual) }, fc.constantFrom(...rare))
const accepted: fc.Arbitrary<Accepted> = fc
  .record({
    machine: fc.constantFrom(...machines),
    atUs: fc.integer({ min: nowUs - 20, max: nowUs + 3 }),
    key: fc.constantFrom('Xabs', 'é', 'Srpm'),
    value: fc.constantFrom('1', '2', 'ACTIVE', '🚀'),
    category: often<Sample['category']>('SAMPLE', 'CONDITION', 'EVENT'),
    message: often('', 'door is open'),
  })
  .map(({ machine, ...own }) => {
    const sample = { ...omittedFields, machineRef: machine.ref, type: 'POSITION', subtype: '', ...own }
    return { index: 0, machine, companyRef: machine.companyRef, sample }
  })
/** Random samples of records; the samples of one record are accepted as a whole or one by one. */
const slice = fc.array(fc.tuple(fc.boolean(), fc.array(accepted, { minLength: 1, maxLength: 12 })), { maxLength: 5 })

describe('values of the live topic', () => {
  it('If every value is requested, all accepted values are read from the live topic in their order', () => {
    const reader = new ValuesReader()
    const check = fc.property(slice, records => {
      const told = recordsOf(records).flatMap(each => reader.read(each, () => true, nowUs))
      expect(told).to.deep.equal(records.flatMap(([, some]) => some.map(({ sample }) => sample)))
    })
    fc.assert(check, { numRuns: 500 })
  })

  it('If not every value is requested, the newest value of each metric and all future-dated values are read', () => {
    const reader = new ValuesReader()
    let left = 0
    const wanted = asMachineRef(2)
    const check = fc.property(slice, records => {
      const all = records.flatMap(([, some]) => some.map(({ sample }) => sample))
      const told = recordsOf(records).flatMap(each => reader.read(each, ref => ref === wanted, nowUs))
      const [isAhead, isWanted] = [({ atUs }: Sample) => atUs > nowUs, (each: Sample) => each.machineRef === wanted]
      for (const isTold of [isAhead, isWanted]) expect(told.filter(isTold)).to.deep.equal(all.filter(isTold))
      expect(latest(told.filter(each => !isAhead(each)))).to.deep.equal(latest(all.filter(each => !isAhead(each))))
      left += all.length - told.length
    })
    fc.assert(check, { numRuns: 500 })
    expect(left).to.be.above(100)
  })

  it('Compact records are forwarded unchanged, unless they identify a machine by its id', () => {
    const [first] = machines
    if (!first) throw new Error('A machine is missing')
    for (const isOne of [true, false]) {
      const bytes = packed([{ ...plain, value: '7' }], isOne, first)
      const samples = new AcceptedSamples(0)
      expect(samples.appendPlain(logRecord({ key: null, value: bytes }), openRecord(bytes, context))).to.equal(true)
      const records = liveRecords(samples, 3)
      expect(records.map(({ partition }) => partition)).to.deep.equal([3])
      expect(records[0]?.value.equals(bytes)).to.equal(!isOne)
      const told = read(new ValuesReader(), records)
      expect(told).to.deep.equal([{ machineRef: first.ref, ...plain, value: '7' }])
    }
  })

  it('Records of live values fit into the log for any number of samples', () => {
    const long = Array.from({ length: 60 }, () => ({ ...plain, value: 'x'.repeat(16_000) }))
    for (const samples of [Array.from({ length: 4_500 }, () => plain), long]) {
      const taken = new AcceptedSamples(0)
      taken.append(
        logRecord({ key: null, value: Buffer.alloc(0) }),
        samples.map(each => acceptedOf(each)),
      )
      const records = liveRecords(taken, 0)
      expect(Math.max(...records.map(({ value }) => value.length))).to.be.below(300_000)
      expect(read(new ValuesReader(), records)).to.have.length(samples.length)
    }
  })

  it('A damaged record throws, and the next record is read', () => {
    const reader = new ValuesReader()
    const bytes = packed([plain, { ...plain, message: 'm' }], false)
    const ofId = packed([plain], true)
    for (const damaged of [ofId, ...[1, 2, 6, bytes.length - 1].map(end => bytes.subarray(0, end))])
      expect(() => read(reader, [{ key: null, value: damaged }])).to.throw(RangeError)
    expect(read(reader, [{ key: null, value: bytes }])).to.have.length(2)
  })
})

const plain: Omit<Sample, 'machineRef'> = {
  ...omittedFields,
  atUs: nowUs,
  key: 'Xabs',
  type: 'POSITION',
  subtype: '',
  category: 'SAMPLE',
  value: '1',
}

function acceptedOf(sample: Omit<Sample, 'machineRef'>): Accepted {
  const [machine] = machines
  if (!machine) throw new Error('A machine is missing')
  return { index: 0, machine, companyRef: machine.companyRef, sample: { ...sample, machineRef: machine.ref } }
}

function packed(samples: readonly Omit<Sample, 'machineRef'>[], isOne: boolean, machine = machines[0]): Buffer {
  const compact = new CompactSamples(isOne ? (machine?.id ?? '') : null)
  for (const each of samples) {
    if (!isOne && machine) compact.of(machine.ref)
    compact.add(each)
  }
  return compact.bytes()
}

/** Returns the records of the live topic for a slice. */
function recordsOf(records: readonly (readonly [boolean, readonly Accepted[]])[]): readonly LogRecord[] {
  const taken = new AcceptedSamples(0)
  for (const [isWhole, some] of records) {
    if (!isWhole) {
      taken.append(logRecord({ key: null, value: Buffer.alloc(0) }), some)
      continue
    }
    const compact = new CompactSamples(null)
    for (const { machine, sample } of some) {
      compact.of(machine.ref)
      compact.add(sample)
    }
    const source = logRecord({ key: null, value: compact.bytes() })
    if (!taken.appendPlain(source, openRecord(source.value, context))) taken.append(source, some)
  }
  return liveRecords(taken, 0).map(each => logRecord(each))
}

function read(reader: ValuesReader, records: readonly NewRecord[]): readonly Sample[] {
  return records.flatMap(each => reader.read(logRecord(each), () => true, nowUs))
}

function logRecord({ value }: NewRecord): LogRecord {
  return { topic: 'live.v1', partition: 0, offset: 0, key: null, value, headers: {}, timestampMs: nowUs / 1000 }
}

function latest(samples: readonly Sample[]): ReadonlySet<string> {
  const values = new LatestValues()
  for (const each of samples) values.apply(each)
  const all = new Set<string>()
  for (const { ref } of machines)
    values.each(ref, ({ metric: { key, type, subtype }, atUs, value }) =>
      all.add(JSON.stringify([ref, key, type, subtype, atUs, value])),
    )
  return all
}
