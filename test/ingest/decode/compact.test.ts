import { strict as assert } from 'node:assert'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import { decodeJson } from '../../../ingest/decode/json.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import { wireSample } from '../../../ingest/decode/dead-letters.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { knownMachine as machine } from './known-machine.ts'
import { readPlain } from './read-samples.ts'

const nowMs = Date.parse('2024-05-06T08:00:00Z')
const nowUs = nowMs * 1000
const context = {
  machine: (id: string) => (id === machine.id ? machine : undefined),
  machineByRef: (ref: MachineRef) => (ref === machine.ref ? machine : undefined),
  appendedAtMs: nowMs,
}
const plain: Omit<Sample, 'machineRef'> = {
  ...omittedFields,
  atUs: nowUs,
  key: 'Xabs',
  type: 'POSITION',
  subtype: '',
  category: 'SAMPLE',
  value: '1.5',
}

/** Names and values as senders write them. Some are rejected, some are normalized. */
const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('Xabs', 'partCount', 'x1y', 'PART COUNT', 'aBcD'.repeat(60), 'ß'.repeat(250)),
  },
  fc.constantFrom('', ' ', '_', 'unavailable', 'Unava\u0131lable', 'é', '🚀', '\ud800', 'n'.repeat(257)),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)
const value = fc.oneof(
  word,
  fc.constantFrom<string | number>(
    -7,
    1e21,
    'fault',
    'NORMAL',
    'v'.repeat(16_384),
    '漢'.repeat(16_384),
    'w'.repeat(16_385),
  ),
)
const wire = fc.record(
  {
    timestamp: fc.constantFrom('2024-05-06T07:59:59.123456Z', '2024-05-06T08:00:01Z', '2024-05-08T00:00:00Z'),
    key: word,
    type: word,
    value,
    subtype: word,
    category: fc.constantFrom('SAMPLE', 'EVENT', 'condition'),
    nativeCode: word,
    qualifier: word,
    message: word,
    numbers: fc.maxSafeNat(),
  },
  { requiredKeys: ['timestamp', 'key', 'type', 'value'] },
)

const plainWire = fc.record({
  timestamp: fc.constant('2024-05-06T07:59:59Z'),
  key: fc.constantFrom('Xabs', 'é'),
  type: fc.constantFrom('partCount', 'x1y', 'aBcD'.repeat(60), 'ß'.repeat(250)),
  value,
  numbers: fc.constant(undefined),
})

describe('compact records', () => {
  it('A compact record of accepted samples decodes to the same samples as their JSON', () => {
    let taken = 0
    const check = fc.property(
      fc.array(fc.oneof({ weight: 9, arbitrary: plainWire }, wire), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (samples, isOne) => {
        const given = samples.map(({ numbers, ...rest }) => ({ ...rest, instanceId: numbers, sequence: numbers }))
        const json = Buffer.from(JSON.stringify({ machineId: machine.id, samples: given }))
        const { accepted } = decodeJson(json, context)
        if (accepted.length === 0) return
        const bytes = packed(
          accepted.map(({ sample }) => sample),
          isOne,
        )
        assert.deepEqual(decodeRecord(bytes, context), {
          accepted: accepted.map((each, index) => Object.assign({}, each, { index, sample: wellFormed(each.sample) })),
          rejected: [],
        })
        taken += readPlain(bytes, context)?.length ?? 0
      },
    )
    fc.assert(check, { numRuns: 1_500 })
    expect(taken).to.be.above(300)
  })

  it('Decoding arbitrary bytes throws nothing, returns samples or a rejection, and accepts no sample that the JSON decoder rejects', () => {
    let found = 0
    const check = fc.property(anyRecord, bytes => {
      const { accepted, rejected } = decodeRecord(bytes, context)
      found += accepted.length
      assert.ok(accepted.length + rejected.length > 0, 'a record without a sample has a dead letter')
      for (const { sample } of accepted) expectSound(sample)
      for (const { value: text, reason } of rejected) if (reason !== 'invalid_json') JSON.parse(text)
      const taken = readPlain(bytes, context)
      if (taken !== null) {
        assert.deepEqual(
          taken,
          accepted.map(({ sample }) => sample),
        )
        assert.deepEqual(rejected, [])
      }
    })
    fc.assert(check, { numRuns: 6_000 })
    expect(found).to.be.above(1_000)
  })

  it('An invalid sample of a compact record is rejected with its reason, and the other samples are accepted', () => {
    const tooLong = 'x'.repeat(16_385)
    const faulty: readonly (readonly [string, Partial<Sample>])[] = [
      ['invalid_sample', { key: '' }],
      ['invalid_sample', { key: ' _' }],
      ['invalid_sample', { type: '' }],
      ['invalid_sample', { value: tooLong }],
      ['invalid_sample', { message: tooLong }],
      ['name_too_long', { key: 'x'.repeat(257) }],
      ['name_too_long', { qualifier: 'x'.repeat(257) }],
      ['future_timestamp', { atUs: nowUs + 90_000_000_000 }],
      ['past_timestamp', { atUs: nowUs - 9_000 * 86_400_000_000 }],
    ]
    for (const [reason, fault] of faulty) {
      const bytes = packed([plain, { ...plain, ...fault }, plain], false)
      const { accepted, rejected } = decodeRecord(bytes, context)
      expect(
        accepted.map(({ index }) => index),
        reason,
      ).to.deep.equal([0, 2])
      expect(rejected.map(each => [each.index, each.reason])).to.deep.equal([[1, reason]])
      expect(readPlain(bytes, context), reason).to.equal(null)
    }
  })

  it('Types, subtypes and values of compact records are stored in their canonical spelling', () => {
    const spelled: readonly (readonly [Partial<Sample>, Partial<Sample>])[] = [
      [{ type: 'Part Count' }, { type: 'PART_COUNT' }],
      [{ subtype: 'actual' }, { subtype: 'ACTUAL' }],
      [{ value: 'Unavailable' }, { value: 'UNAVAILABLE' }],
      [
        { category: 'CONDITION', value: 'fault' },
        { category: 'CONDITION', value: 'FAULT' },
      ],
    ]
    for (const [written, kept] of spelled) {
      const bytes = packed([plain, { ...plain, ...written }], false)
      const { accepted, rejected } = decodeRecord(bytes, context)
      expect(rejected).to.deep.equal([])
      expect(accepted[1]?.sample).to.deep.equal({ machineRef: machine.ref, ...plain, ...kept })
      expect(readPlain(bytes, context)).to.equal(null)
    }
  })

  it('A compact record with invalid UTF-8 is not accepted as a whole; the invalid bytes become U+FFFD', () => {
    const bytes = packed([{ ...plain, value: 'é' }], false)
    expect(readPlain(bytes, context)?.map(each => each.value)).to.deep.equal(['é'])
    bytes[bytes.length - 1] = 0xff
    expect(readPlain(bytes, context)).to.equal(null)
    expect(decodeRecord(bytes, context).accepted.map(({ sample }) => sample.value)).to.deep.equal(['\ufffd\ufffd'])
  })

  it('A compact record that is damaged or exceeds a limit is rejected as a whole', () => {
    const endless = Buffer.concat([Buffer.alloc(400, 0xff), Buffer.of(0)])
    const head = Buffer.from([3, 1, machine.ref, 0])
    const names = Buffer.from([0, 1, 0x61, 1, 0x41, 0, 0, 0, 0])
    const sampleAt = (at: Buffer, next = Buffer.of()) => Buffer.concat([head, names, at, Buffer.from([1, 0x31]), next])
    const numbers = Buffer.concat([head, Buffer.from([8]), names.subarray(1), leb(nowUs), Buffer.from([1, 0x31])])
    expect(decodeRecord(sampleAt(leb(nowUs)), context).accepted).to.have.length(1)
    expect(decodeRecord(Buffer.concat([numbers, leb(5), leb(6)]), context).accepted).to.have.length(1)
    const manyNames = new CompactSamples(null)
    for (let i = 0; i < 2; i++) {
      manyNames.of(machine.ref)
      manyNames.add({ ...plain, key: 'x'.repeat(9_000) })
    }
    const wrong = {
      time: sampleAt(endless),
      later: sampleAt(leb(Number.MAX_SAFE_INTEGER), Buffer.concat([Buffer.of(0), leb(2), Buffer.of(0)])),
      length: Buffer.concat([head, names, leb(nowUs), Buffer.alloc(400, 0x80), Buffer.of(0)]),
      latest: sampleAt(leb(2 ** 53)),
      head: Buffer.concat([sampleAt(leb(nowUs)), endless]),
      machine: Buffer.from([3, 1, machine.ref, 6, 9, ...names, 0, 0]),
      machines: Buffer.concat([Buffer.of(3), leb(2_001), Buffer.alloc(2_001, 1)]),
      category: Buffer.concat([head, Buffer.from([3]), names.subarray(1), leb(nowUs), Buffer.from([0])]),
      kind: Buffer.concat([head, Buffer.from([16]), names.subarray(1), leb(nowUs), Buffer.from([0])]),
      names: manyNames.bytes(),
      sequence: Buffer.concat([numbers, leb(5), leb(2 ** 53)]),
      id: Buffer.concat([Buffer.from([1, 0xc9, 0x01]), Buffer.alloc(201, 0x61)]),
      'no samples of one machine': Buffer.from([1, 1, 0x61]),
      'no samples of machines by id': Buffer.from([2, 1, 1, 0x61]),
      'no samples of machines by ref': Buffer.from([3, 1, machine.ref]),
      'no machines': Buffer.from([3, 0]),
      bytes: packed(
        Array.from({ length: 33 }, () => ({ ...plain, value: 'x'.repeat(16_000) })),
        false,
      ),
      samples: packed(
        Array.from({ length: 2_001 }, () => plain),
        false,
      ),
    }
    for (const [name, bytes] of Object.entries(wrong)) {
      const { accepted, rejected } = decodeRecord(bytes, context)
      expect(accepted, name).to.deep.equal([])
      expect(
        rejected.map(({ reason }) => reason),
        name,
      ).to.deep.equal(['invalid_json'])
      expect(rejected[0]?.message, name).to.match(/^Damaged record: /)
      expect(readPlain(bytes, context), name).to.equal(null)
    }
    expect(
      readPlain(
        packed(
          Array.from({ length: 2_000 }, () => plain),
          false,
        ),
        context,
      ),
    ).to.have.length(2_000)
  })
})

/** Bytes that are nearly a compact record: damaged, with invalid samples, or arbitrary. */
const lie = fc.record({
  atUs: fc.oneof({ weight: 3, arbitrary: fc.constant(nowUs) }, fc.maxSafeInteger()),
  key: word,
  type: word,
  subtype: word,
  category: fc.constantFrom<Sample['category']>('SAMPLE', 'EVENT', 'CONDITION'),
  value: word,
  nativeCode: word,
  nativeSeverity: fc.constant(''),
  qualifier: fc.constant(''),
  message: fc.oneof(fc.constant(''), word),
  instanceId: fc.constant(null),
  sequence: fc.constant(null),
})
const often = fc.oneof({ weight: 4, arbitrary: fc.constant(plain) }, lie)
const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 3, 0x7f, 0x80, 0xff)), { maxLength: 2 })
const anyRecord = fc.oneof(
  fc.tuple(fc.array(often, { maxLength: 6 }), fc.boolean(), damage, fc.nat()).map(([samples, isOne, changes, cut]) => {
    const bytes = packed(samples, isOne)
    for (const [at, byte] of changes) bytes[1 + (at % (bytes.length - 1))] = byte
    return cut % 5 === 0 ? bytes.subarray(0, 1 + (cut % bytes.length)) : bytes
  }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.uint8Array({ maxLength: 60 }))
    .map(([first, rest]) => Buffer.of(first, ...rest)),
)

function packed(samples: readonly Omit<Sample, 'machineRef'>[], isOne: boolean): Buffer {
  const compact = new CompactSamples(isOne ? machine.id : null)
  for (const each of samples) {
    if (!isOne) compact.of(machine.ref)
    compact.add(each)
  }
  // A copy, because tests change it.
  return Buffer.from(compact.bytes())
}

/** Expects that the JSON decoder accepts the sample with the same value and time. */
function expectSound(sample: Sample): void {
  const { accepted, rejected } = decodeJson(Buffer.from(JSON.stringify(wireSample(machine.id, sample))), context)
  // The canonical spelling of a type or subtype may be longer than the limit of input.
  if (sample.type.length <= 256 && sample.subtype.length <= 256) {
    assert.deepEqual(rejected, [])
    const { type: _, subtype: __, ...kept } = sample
    const { type: ___, subtype: ____, ...read } = accepted[0]?.sample ?? sample
    assert.deepEqual(read, kept)
  }
  for (const name of [sample.type, sample.subtype]) {
    expect(name).to.equal(name.toUpperCase()).and.not.to.match(/\s|__/)
    expect(name.length).to.be.at.most(768)
  }
}

/** The compact form and the store are UTF-8: half a surrogate pair becomes U+FFFD. */
function wellFormed(sample: Sample): Sample {
  const utf8 = (text: string) => Buffer.from(text).toString()
  const { key, type, subtype, value, nativeCode, nativeSeverity, qualifier, message } = sample
  return {
    ...sample,
    key: utf8(key),
    type: utf8(type),
    subtype: utf8(subtype),
    value: utf8(value),
    nativeCode: utf8(nativeCode),
    nativeSeverity: utf8(nativeSeverity),
    qualifier: utf8(qualifier),
    message: utf8(message),
  }
}

/** A number as LEB128. */
function leb(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
