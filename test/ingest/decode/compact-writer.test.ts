import { expect } from 'chai'
import * as fc from 'fast-check'
import { CompactSamples, isCompact, isOfSeveral } from '../../../ingest/decode/compact-writer.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import type { MachineInfo } from '../../../ingest/decode/validate.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { readCompact } from './read-samples.ts'

const machineRef = asMachineRef(7)
const machineId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const text = fc.oneof(
  fc.constantFrom('', 'Xabs', 'é', '漢字', '🚀', 'x'.repeat(63), 'x'.repeat(64), 'é'.repeat(63), 'y'.repeat(200)),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
)
const safe = fc.oneof(fc.nat(300), fc.maxSafeNat())
const numbers = fc.option(fc.tuple(safe, safe), { nil: null })
const sample: fc.Arbitrary<Sample> = fc
  .record({
    atUs: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: -4e15, max: 4e15 })),
    key: text,
    type: text,
    subtype: text,
    category: fc.constantFrom('SAMPLE', 'EVENT', 'CONDITION'),
    value: text,
    nativeCode: text,
    nativeSeverity: text,
    qualifier: text,
    message: text,
    numbers,
  })
  .map(({ numbers, ...rest }) =>
    Object.assign(rest, { machineRef, instanceId: numbers?.[0] ?? null, sequence: numbers?.[1] ?? null }),
  )

describe('CompactSamples', () => {
  it('Compact samples of one machine are read back unchanged, in their order', () => {
    fc.assert(
      fc.property(text, fc.array(sample, { minLength: 1, maxLength: 30 }), (id, samples) => {
        const compact = new CompactSamples(id)
        // Repeated names are written once.
        const twice = [...samples, ...samples.map(each => ({ ...each, value: `${each.value}2` }))]
        for (const each of twice) compact.add(each)
        expect(compact.count).to.equal(twice.length)
        const bytes = compact.bytes()
        expect(bytes).to.have.length(compact.length)
        expect(isCompact(bytes)).to.equal(true)
        const read = readCompact(bytes).map(({ machine, ...each }) => [machine, Object.assign(each, { machineRef })])
        expect(read).to.deep.equal(twice.map(each => [id, each]))
      }),
    )
  })

  it('Compact samples of several machines are read back unchanged, each with its machine', () => {
    const refs = fc.uniqueArray(safe, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(refs, fc.array(fc.tuple(fc.nat(), sample), { minLength: 1, maxLength: 30 }), (known, samples) => {
        const compact = new CompactSamples(null)
        const given = samples.map(([place, each]) => [asMachineRef(known[place % known.length] ?? 0), each] as const)
        for (const [ref, each] of given) {
          compact.of(ref)
          compact.add(each)
        }
        const most = compact.length
        const bytes = compact.bytes()
        expect(bytes.length).to.be.at.most(most)
        expect([isCompact(bytes), isOfSeveral(bytes)]).to.deep.equal([true, true])
        const read = readCompact(bytes).map(({ machine, ...each }) => [machine, { machineRef, ...each }])
        expect(read).to.deep.equal(given)
        // Every end of a short record, and some ends of a long one.
        const step = Math.ceil(bytes.length / 100)
        for (let end = 1; end < bytes.length; end += step) {
          const { accepted, rejected } = decode(bytes.subarray(0, end))
          expect(accepted.length === 0 || rejected.length === 0).to.equal(true)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('An unknown machine in a compact record rejects only the samples of that machine', () => {
    const compact = new CompactSamples(null)
    const [first] = decode(Buffer.from(JSON.stringify({ machineId, ...named('a') }))).accepted
    for (const ref of [machineRef, asMachineRef(8)]) {
      compact.of(ref)
      if (first) compact.add(first.sample)
    }
    const { accepted, rejected } = decode(compact.bytes())
    expect(accepted.map(({ index }) => index)).to.deep.equal([0])
    expect(rejected.map(({ index, reason }) => [index, reason])).to.deep.equal([[1, 'unknown_machine']])
    const [refused] = rejected
    expect(refused?.message).to.equal('no machine has the ref 8')
    // The id of the machine is unknown, so none is reported.
    expect(JSON.parse(refused?.value ?? '{}'))
      .to.include({ machineRef: 8, key: 'a' })
      .and.not.to.have.property('machineId')
  })

  it('500 compact samples, each of another machine, take less than 14 bytes each', () => {
    const compact = new CompactSamples(null)
    for (let ref = 1; ref <= 500; ref++) {
      compact.of(asMachineRef(ref))
      compact.add({ ...noRest, atUs: nowMs * 1000, key: 'Xabs', type: 'POSITION', category: 'SAMPLE', value: '12.375' })
    }
    expect(compact.bytes().length / 500).to.be.below(14)
  })

  it('Compact samples take at most a fifth of the bytes of their JSON', () => {
    const compact = new CompactSamples(machineId)
    const samples = Array.from({ length: 100 }, (_, i) => ({
      timestamp: new Date(nowMs + i * 100).toISOString(),
      key: `axis ${i % 10}`,
      type: 'POSITION',
      subtype: 'ACTUAL',
      value: ((i * 7919) % 1_000_003) / 1000,
    }))
    const json = Buffer.from(JSON.stringify({ machineId, samples }))
    for (const { sample } of decode(json).accepted) compact.add(sample)
    expect(compact.count).to.equal(100)
    expect(compact.length * 5).to.be.below(json.length)
  })

  it('A compact record that is cut off is either rejected or accepted, never in part', () => {
    const compact = new CompactSamples(machineId)
    const given = decode(
      Buffer.from(JSON.stringify({ machineId, samples: [named('a'), { ...named('b'), message: 'm' }, named('a')] })),
    )
    for (const { sample } of given.accepted) compact.add(sample)
    const whole = compact.bytes()
    expect(decode(whole)).to.deep.equal(given)
    const found = Array.from({ length: whole.length }, (_, length) => decode(whole.subarray(0, length)))
    for (const { accepted, rejected } of found.slice(1))
      expect(accepted.length === 0 || rejected.length === 0).to.equal(true)
    expect(found.filter(({ rejected }) => rejected[0]?.message.startsWith('Damaged'))).to.have.length.above(30)
  })

  it('Compact samples are validated again by age and machine when they are decoded', () => {
    const compact = new CompactSamples(machineId)
    const times = [0, 23, 25, -24 * 29, -24 * 31].map(hours => new Date(nowMs + hours * 3_600_000).toISOString())
    const samples = times.map(timestamp => Object.assign(named('a'), { timestamp }))
    const json = Buffer.from(JSON.stringify({ machineId, samples }))
    const late = { appendedAtMs: nowMs + 40 * 86_400_000 }
    for (const { sample } of decode(json, { ...late, maxSampleAgeDays: 400 }).accepted) compact.add(sample)
    expect(compact.count).to.equal(5)
    for (const context of [{}, late, { maxSampleAgeDays: 50 }, { machine: () => undefined }])
      expect(decode(compact.bytes(), context).rejected.map(({ index, reason }) => [index, reason])).to.deep.equal(
        decode(Buffer.from(JSON.stringify({ machineId, samples })), context).rejected.map(({ index, reason }) => [
          index,
          reason,
        ]),
      )
  })
})

const nowMs = Date.parse('2024-05-06T08:00:00Z')

const noRest = {
  subtype: 'ACTUAL',
  ...omittedFields,
} as const

function named(key: string): object {
  return { timestamp: '2024-05-06T08:00:00.123456Z', key, type: 'POSITION', value: 1.5 }
}

function decode(
  value: Buffer,
  given: {
    readonly appendedAtMs?: number
    readonly maxSampleAgeDays?: number
    readonly machine?: () => undefined
  } = {},
) {
  const machine: MachineInfo = {
    id: machineId,
    ref: machineRef,
    companyRef: asCompanyRef(1),
    maxSampleAgeDays: given.maxSampleAgeDays ?? 30,
    namedKeys: new Set(),
    counter: null,
  }
  const lookUp = (id: string) => (id === machineId ? machine : undefined)
  return decodeRecord(value, {
    machine: given.machine ?? lookUp,
    machineByRef: ref => (ref === machineRef ? machine : undefined),
    appendedAtMs: given.appendedAtMs ?? nowMs,
  })
}
