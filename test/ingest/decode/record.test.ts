import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Decoded } from '../../../ingest/decode/validate.ts'
import { decodeLargeRecord } from '../../../ingest/decode/json.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import type { Sample } from '../../../schema/sample.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { knownMachine as machine } from './known-machine.ts'

const { id: machineId } = machine
const otherId = '6f9619ff-8b86-4d01-b42d-00cf4fc96400'
const appendedAtMs = Date.parse('2024-05-06T08:00:00Z')
const timestamp = '2024-05-06T07:59:59.123456Z'
const plain = { machineId, timestamp, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }

function decode(json: unknown, info = machine): Decoded {
  const find = (id: string) => (id === machineId ? info : undefined)
  return decodeRecord(Buffer.from(JSON.stringify(json)), { machine: find, appendedAtMs })
}

function sampleOf(fields: object): Sample {
  const { accepted, rejected } = decode({ ...plain, ...fields })
  expect(rejected).to.deep.equal([])
  const sample = accepted[0]?.sample
  if (sample === undefined) throw new Error('no sample')
  return sample
}

function rejectionOf(fields: object) {
  const { accepted, rejected } = decode({ ...plain, ...fields })
  expect(accepted).to.deep.equal([])
  return rejected[0]
}

describe('record of samples', () => {
  it('A record that no string can hold is one rejection with a cut text', async function () {
    const value = Buffer.alloc(540_000_000, 32)
    const context = { machine: () => undefined, appendedAtMs }
    const chunks = { bytes: 64 << 10, slice: new TimeSlice() }
    for (const decoded of [decodeRecord(value, context), await decodeLargeRecord(value, context, chunks)]) {
      expect(decoded.accepted).to.deep.equal([])
      expect(decoded.rejected).to.have.lengthOf(1)
      expect(decoded.rejected[0]).to.include({ reason: 'invalid_json' })
      expect(decoded.rejected[0]?.message).to.match(/10485760 bytes/)
      expect(decoded.rejected[0]?.value.length).to.equal(600_003)
    }
  })

  it('A record can be a single sample', () => {
    expect(sampleOf({})).to.deep.equal({
      machineRef: 7,
      atUs: Date.parse('2024-05-06T07:59:59.123Z') * 1000 + 456,
      key: 'execution',
      type: 'EXECUTION',
      subtype: '',
      category: 'EVENT',
      value: 'ACTIVE',
      nativeCode: '',
      nativeSeverity: '',
      qualifier: '',
      message: '',
      instanceId: null,
      sequence: null,
    })
  })

  it('An invalid sample of a batch does not reject the valid ones', () => {
    const { machineId: _, ...sample } = plain
    const { accepted, rejected } = decode({ machineId, samples: [sample, { ...sample, key: [1] }, 5, sample] })
    expect(accepted.map(({ index }) => index)).to.deep.equal([0, 3])
    expect(rejected.map(({ index, reason }) => [index, reason])).to.deep.equal([
      [1, 'invalid_sample'],
      [2, 'invalid_sample'],
    ])
    expect(JSON.parse(rejected[0]?.value ?? '')).to.deep.equal({ ...plain, key: [1] })
  })

  it('A machine id may be in any letter case, and each sample of a batch may have its own', () => {
    expect(sampleOf({ machineId: machineId.toUpperCase() }).machineRef).to.equal(7)
    const { accepted } = decode({ machineId: otherId, samples: [plain] })
    expect(accepted).to.have.length(1)
  })

  it('Types, subtypes, categories and reserved values have one canonical spelling', () => {
    for (const type of ['PartCount', 'PART_COUNT', 'part_count', 'part count', 'partcount', 'PARTCOUNT']) {
      expect(sampleOf({ type }).type, type).to.equal('PART_COUNT')
    }
    expect(sampleOf({ type: 'x:ToolGroup' }).type).to.equal('X:TOOL_GROUP')
    expect(sampleOf({ subtype: 'actual' }).subtype).to.equal('ACTUAL')
    expect(sampleOf({ category: 'sample' }).category).to.equal('SAMPLE')
    expect(sampleOf({ value: 'Unavailable' }).value).to.equal('UNAVAILABLE')
    expect(sampleOf({ value: 'Active' }).value).to.equal('Active')
    expect(sampleOf({ key: 'PartCount' }).key).to.equal('PartCount')
  })

  it('A sample of a condition type is a condition unless its category states otherwise', () => {
    for (const type of [
      'ACTUATOR',
      'Communications',
      'data_range',
      'HARDWARE',
      'LogicProgram',
      'MOTION_PROGRAM',
      'system',
    ]) {
      expect(sampleOf({ type, value: 'Normal' }), type).to.include({ category: 'CONDITION', value: 'NORMAL' })
    }
    expect(sampleOf({ type: 'SYSTEM', category: 'EVENT', value: 'Normal' })).to.include({
      category: 'EVENT',
      value: 'Normal',
    })
    expect(sampleOf({ type: 'TEMPERATURE', category: 'CONDITION', value: 'fault' })).to.include({ value: 'FAULT' })
    expect(sampleOf({ type: 'SYSTEM', value: 'unavailable' }).value).to.equal('UNAVAILABLE')
  })

  it('The native code, severity, qualifier and message of a condition are retained', () => {
    const said = { nativeCode: '237', nativeSeverity: '9', qualifier: 'HIGH', message: 'MAGAZINE DOOR OPENED' }
    expect(sampleOf({ type: 'LOGIC_PROGRAM', value: 'Warning', ...said })).to.include({ value: 'WARNING', ...said })
  })

  it('Values that do not fit their type are retained', () => {
    expect(sampleOf({ type: 'PART_COUNT', value: 'many' }).value).to.equal('many')
    expect(sampleOf({ type: 'PART_COUNT', value: -3 }).value).to.equal('-3')
    expect(sampleOf({ type: 'SYSTEM', value: 'BROKEN' }).value).to.equal('BROKEN')
    expect(sampleOf({ value: '' }).value).to.equal('')
  })

  it('Numbers are stored in their JavaScript notation', () => {
    expect(sampleOf({ value: 12.5 }).value).to.equal('12.5')
    expect(sampleOf({ value: 1e21 }).value).to.equal('1e+21')
    expect(sampleOf({ value: -0 }).value).to.equal('0')
  })

  it('A null field equals an omitted field', () => {
    const empty = { subtype: null, nativeCode: null, message: null, category: null, instanceId: null, sequence: null }
    expect(sampleOf(empty)).to.deep.equal(sampleOf({}))
  })

  it('instanceId and sequence are accepted only together', () => {
    expect(sampleOf({ instanceId: 5, sequence: 9 })).to.include({ instanceId: 5, sequence: 9 })
    expect(rejectionOf({ sequence: 9 })?.message).to.equal('instanceId and sequence come only together')
    expect(rejectionOf({ instanceId: 1.5, sequence: 9 })?.message).to.match(/^instanceId must be an integer/)
    expect(rejectionOf({ instanceId: 1, sequence: 'nine' })?.message).to.match(/^sequence must be an integer/)
    expect(rejectionOf({ instanceId: 1, sequence: true })?.message).to.match(/^sequence must be an integer/)
  })

  it('Scalars are converted to the type of their field if no information is lost', () => {
    expect(sampleOf({ instanceId: '5', sequence: '9' })).to.include({ instanceId: 5, sequence: 9 })
    expect(sampleOf({ key: 17, nativeCode: 1043, value: true })).to.include({
      key: '17',
      nativeCode: '1043',
      value: 'true',
    })
    expect(rejectionOf({ nativeCode: 2 ** 53 })?.message).to.contain('nativeCode')
    expect(rejectionOf({ sequence: '12345678901234567', instanceId: 1 })?.message).to.contain('sequence')
  })

  it('A rejection lists every invalid field', () => {
    const { message } =
      rejectionOf({ machineId: 'M1', timestamp: '2024-02-30T00:00:00Z', key: '', type: [5], value: {} }) ?? {}
    for (const field of ['machineId', 'timestamp', 'key', 'type', 'value'])
      expect(message).to.contain(`${field} must be`)
    expect(rejectionOf({ category: 'ALARM' })?.message).to.contain('category')
    expect(rejectionOf({ nativeCode: [5] })?.message).to.contain('nativeCode')
    expect(rejectionOf({ message: 'x'.repeat(20_000) })?.message).to.contain('message')
  })

  it('A sample with a name that is too long is rejected for that reason only', () => {
    const long = 'x'.repeat(257)
    const context = { machine: () => undefined, appendedAtMs: 0 }
    for (const field of ['key', 'type', 'subtype', 'nativeCode', 'nativeSeverity', 'qualifier']) {
      const { rejected } = decodeRecord(Buffer.from(JSON.stringify({ [field]: long })), context)
      expect(rejected.map(({ reason, message }) => [reason, message])).to.deep.equal([
        ['name_too_long', `${field} must be at most 256 characters long`],
      ])
    }
    const fits = decodeRecord(Buffer.from(JSON.stringify({ key: 'x'.repeat(256), message: long })), context)
    expect(fits.rejected[0]?.reason).to.equal('invalid_sample')
  })

  it('The rejected value of a sample of an unknown machine contains the whole sample, for a replay', () => {
    const rejection = rejectionOf({ machineId: otherId })
    expect(rejection?.reason).to.equal('unknown_machine')
    expect(JSON.parse(rejection?.value ?? '')).to.deep.equal({ ...plain, machineId: otherId })
  })

  it('A leap second becomes the last millisecond of its minute', () => {
    expect(sampleOf({ timestamp: '2024-05-06T07:59:60Z' }).atUs).to.equal(Date.parse('2024-05-06T07:59:59.999Z') * 1000)
    expect(rejectionOf({ timestamp: '2024-05-06T07:59:61Z' })?.reason).to.equal('invalid_sample')
  })

  it('The age of a sample is judged at the time when the log appended it', () => {
    expect(sampleOf({ timestamp: '2024-05-07T08:00:00Z' }).machineRef).to.equal(7)
    expect(rejectionOf({ timestamp: '2024-05-07T08:00:00.001Z' })?.reason).to.equal('future_timestamp')
    const aDay = { ...machine, maxSampleAgeDays: 1 }
    expect(decode({ ...plain, timestamp: '2024-05-05T08:00:00Z' }, aDay).accepted).to.have.length(1)
    expect(decode({ ...plain, timestamp: '2024-05-05T07:59:59.999Z' }, aDay).rejected[0]?.reason).to.equal(
      'past_timestamp',
    )
  })

  it('A record of invalid JSON is rejected as a whole', () => {
    const { rejected } = decodeRecord(Buffer.from('{"machineId":'), { machine: () => machine, appendedAtMs })
    expect(rejected).to.deep.equal([
      { index: 0, reason: 'invalid_json', message: 'Problem parsing JSON', value: '{"machineId":' },
    ])
  })

  it('A record that is not UTF-8 is rejected as a whole, and a replay of its dead letter is rejected again', async () => {
    const latin1 = (message: string, padding = 0) =>
      Buffer.from(`${JSON.stringify({ ...plain, machineId, message })}${' '.repeat(padding)}`, 'latin1')
    const context = { machine: () => machine, appendedAtMs }
    const value = latin1('Fr\xe4se')
    const { accepted, rejected } = decodeRecord(value, context)
    expect(accepted).to.deep.equal([])
    expect(rejected).to.deep.equal([
      {
        index: 0,
        reason: 'invalid_json',
        message: 'Problem parsing JSON: it is not valid UTF-8',
        value: `not UTF-8: ${value.toString('latin1')}`,
      },
    ])
    expect(decodeRecord(Buffer.from(rejected[0]?.value ?? ''), context).accepted).to.deep.equal([])
    const chunks = { bytes: 1_000, slice: new TimeSlice() }
    const large = await decodeLargeRecord(latin1('Fr\xe4se', 2_000), context, chunks)
    expect(large.accepted).to.deep.equal([])
    expect(large.rejected[0]?.message).to.equal('Problem parsing JSON: it is not valid UTF-8')
  })

  it('Any JSON is decoded without an exception, and each sample of a batch is accepted or rejected once', () => {
    const fields = fc.record(
      {
        machineId: fc.oneof(fc.constant(machineId), fc.jsonValue()),
        timestamp: fc.oneof(fc.constant(timestamp), fc.jsonValue()),
        key: fc.oneof(fc.constant('k'), fc.jsonValue()),
        type: fc.oneof(fc.string(), fc.jsonValue()),
        value: fc.jsonValue(),
        category: fc.oneof(fc.constant('condition'), fc.jsonValue()),
        sequence: fc.jsonValue(),
        instanceId: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    const samples = fc.array(fc.oneof(fields, fc.jsonValue()))
    fc.assert(
      fc.property(samples, batch => {
        const { accepted, rejected } = decode({ machineId, samples: batch })
        const indexes = [...accepted, ...rejected].map(({ index }) => index)
        expect(indexes.sort((a, b) => a - b)).to.deep.equal(batch.map((_, index) => index))
      }),
    )
    fc.assert(fc.property(fc.jsonValue(), json => void decode(json)))
    fc.assert(
      fc.property(
        fc.uint8Array(),
        bytes => void decodeRecord(Buffer.from(bytes), { machine: () => machine, appendedAtMs }),
      ),
    )
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(decodeRecord(Buffer.from(`[${deep}]`), { machine: () => machine, appendedAtMs }).rejected).to.have.length(1)
  })
})
