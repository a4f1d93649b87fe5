import { strict as assert } from 'node:assert'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import { decodeJson, decodeLargeRecord } from '../../../ingest/decode/json.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import type { Decoded, MachineInfo } from '../../../ingest/decode/validate.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import type { Sample } from '../../../schema/sample.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { knownMachine } from './known-machine.ts'
import { decodeNaively } from './naive.ts'
import { readPlain } from './read-samples.ts'

const appendedAtMs = Date.parse('2024-05-06T08:00:00Z')
const young: MachineInfo = {
  ...knownMachine,
  id: '6f9619ff-8b86-4d01-b42d-00cf4fc96400',
  ref: asMachineRef(300),
  maxSampleAgeDays: 1,
}
const machines = [knownMachine, young]
const context = {
  machine: (id: string) => machines.find(machine => machine.id === id),
  machineByRef: (ref: MachineRef) => machines.find(machine => machine.ref === ref),
  appendedAtMs,
}

const time = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 59 }), fc.constantFrom('', '.5', '.1234567'))
      .map(([minute, second, fraction]) => `2024-05-06T07:0${minute}:${String(second).padStart(2, '0')}${fraction}Z`),
  },
  fc.constantFrom(
    '2024-05-06T07:59:60Z',
    '2024-05-06T07:59:61Z',
    '2024-02-30T00:00:00Z',
    '2024-05-07T08:00:00Z',
    '2024-05-07T08:00:00.000001Z',
    '2024-05-05T08:00:00Z',
    '2024-05-05T07:59:59.999999Z',
    '1999-01-01T00:00:00Z',
    'today',
  ),
)
const usualWord = fc.constantFrom('Xabs', 'execution', 'partCount', 'POSITION', 'System', 'tool Group', 'x1y', 'é')
const oddWord = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '_',
    'a"b',
    'tab\t',
    '🚀',
    'n'.repeat(65),
    'n'.repeat(256),
    'n'.repeat(257),
    'ß'.repeat(200),
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const word = fc.oneof({ weight: 30, arbitrary: usualWord }, oddWord)
const optional = fc.oneof({ weight: 4, arbitrary: word }, fc.constant(null), fc.constantFrom(17, true, [5], {}))
const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<unknown>('ACTIVE', 'unavailable', 'Fault', 'normal', '', 12.5, -7, 0) },
  { weight: 4, arbitrary: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })) },
  word,
  fc.constantFrom<unknown>(
    'Unava\u0131lable',
    true,
    null,
    [1],
    {},
    'v'.repeat(16_384),
    'v'.repeat(16_385),
    '漢'.repeat(9_000),
  ),
)
const count = fc.oneof(
  { weight: 4, arbitrary: fc.maxSafeNat() },
  fc.constantFrom(null, '9', 'nine', -1, 1.5, '12345678901234567', true),
)
const plain = fc.record(
  {
    timestamp: time,
    key: fc.oneof({ weight: 40, arbitrary: usualWord }, oddWord),
    type: fc.oneof({ weight: 40, arbitrary: usualWord }, oddWord),
    value: fc.oneof({ weight: 20, arbitrary: fc.integer() }, fc.constantFrom('ACTIVE', 'Unavailable', 'fault'), value),
    category: fc.constantFrom('SAMPLE', 'event', 'Condition'),
    subtype: fc.constantFrom('ACTUAL', 'actual', 'toolLife'),
  },
  { requiredKeys: ['timestamp', 'key', 'type', 'value'] },
)
const any = fc.record(
  {
    machineId: fc.constantFrom(knownMachine.id, young.id.toUpperCase(), knownMachine.id.replace('6', '7'), 'M1', null),
    timestamp: time,
    key: optional,
    type: optional,
    value,
    category: fc.constantFrom('SAMPLE', 'event', 'Condition', 'ALARM', '', null),
    subtype: optional,
    nativeCode: optional,
    nativeSeverity: optional,
    qualifier: optional,
    message: fc.oneof(optional, fc.constantFrom('m'.repeat(257), 'm'.repeat(16_385))),
    instanceId: count,
    sequence: count,
  },
  { requiredKeys: [] },
)
const batch = fc.record({
  machineId: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(knownMachine.id, knownMachine.id.toUpperCase(), young.id) },
    fc.constantFrom('M1', knownMachine.id.replace('6', '7')),
  ),
  samples: fc.oneof(
    { weight: 2, arbitrary: fc.array(plain, { minLength: 1, maxLength: 12 }) },
    fc.array(fc.oneof(plain, any), { minLength: 1, maxLength: 8 }),
  ),
})

describe('readers of samples', () => {
  it('JSON, compact records and a naive decoder yield the same samples and rejections', async () => {
    const seen = { accepted: 0, rejected: 0, plain: 0, compact: 0 }
    const check = fc.asyncProperty(batch, async sent => {
      const expected = decodeNaively(sent, machines, appendedAtMs)
      const json = Buffer.from(JSON.stringify(sent))
      const decoded = decodeJson(json, context)
      assert.deepEqual(resultsOf(decoded), expected)
      assert.deepEqual(decodeRecord(json, context), decoded)
      const chunks = { bytes: 1_000, slice: new TimeSlice() }
      assert.deepEqual(await decodeLargeRecord(json, context, chunks), decoded)

      const ofPlain = readPlain(json, context)
      if (ofPlain) assert.deepEqual(ofPlain, expected)

      const samples = decoded.accepted.map(({ sample }) => sample)
      const compact = compactRecord(samples)
      const again = decodeRecord(compact, context)
      assert.deepEqual(
        again.accepted.map(({ sample }) => sample),
        samples,
      )
      // A writer of compact records never has none.
      assert.equal(again.rejected.length, samples.length === 0 ? 1 : 0)
      const ofCompact = readPlain(compact, context)
      if (ofCompact) assert.deepEqual(ofCompact, samples)

      seen.accepted += samples.length
      seen.rejected += decoded.rejected.length
      if (ofPlain) seen.plain++
      if (ofCompact) seen.compact++
    })
    await fc.assert(check, { numRuns: 3_000 })
    expect(seen.accepted).to.be.above(3_000)
    expect(seen.rejected).to.be.above(3_000)
    expect(seen.plain).to.be.above(80)
    expect(seen.compact).to.be.above(150)
  })
})

/** Returns samples and the reasons of rejections, in the order of the record. */
function resultsOf({ accepted, rejected }: Decoded): readonly (Sample | string)[] {
  const results: (Sample | string)[] = []
  for (const { index, sample } of accepted) results[index] = sample
  for (const { index, reason } of rejected) results[index] = reason
  return results
}

function compactRecord(samples: readonly Sample[]): Buffer {
  const compact = new CompactSamples(null)
  for (const sample of samples) {
    compact.of(sample.machineRef)
    compact.add(sample)
  }
  return compact.bytes()
}
