import { strict as assert } from 'node:assert'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { createAcceptor } from '../../../ingest/accept/acceptor.ts'
import type { MachineInfo } from '../../../ingest/decode/validate.ts'
import { isCompact } from '../../../ingest/decode/compact-writer.ts'
import { PlainJson } from '../../../ingest/decode/plain-json.ts'
import { decodeJson, recordBounds } from '../../../ingest/decode/json.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import type { NewRecord } from '../../../log/log.ts'
import { partitionOfKey } from '../../../log/partitioner.ts'
import type { Sample } from '../../../schema/sample.ts'
import { topics } from '../../../schema/topics.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import type { JsonBounds } from '../../../shared/json/bounds.ts'
import { readPlain } from './read-samples.ts'

const nowMs = Date.parse('2024-05-06T08:00:00Z')
const ids = ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '6f9619ff-8b86-4d01-b42d-00cf4fc96400']
const machines = new Map(
  ids.map((id, i): [string, MachineInfo] => [
    id,
    {
      id,
      ref: asMachineRef(7 + i),
      companyRef: asCompanyRef(1),
      maxSampleAgeDays: 7300,
      namedKeys: new Set(),
      counter: null,
    },
  ]),
)
const context = {
  machine: (id: string) => machines.get(id),
  machineByRef: (ref: MachineRef) => [...machines.values()].find(machine => machine.ref === ref),
  appendedAtMs: nowMs,
}

/** JSON text of a sample, or nearly. */
const blank = fc.oneof({ weight: 12, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\n', '\t', '\r\n', '  \n'))
const quoted = (text: fc.Arbitrary<string>) => text.map(each => JSON.stringify(each))
const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('Xabs', 'x y', 'POSITION', 'partCount', 'UNAVAILABLE', 'unavailable', 'a'.repeat(65)),
  },
  fc.constantFrom(
    '',
    ' ',
    '_',
    'é',
    '漢',
    '🚀',
    '\ud800',
    'a"b',
    'a\\b',
    '\u0000',
    '\u007f',
    'x'.repeat(257),
    'y'.repeat(16_385),
  ),
  fc.string(),
)
const digits = fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 18 })
const numeral = fc
  .tuple(
    fc.constantFrom('', '', '-', '+'),
    fc.oneof(fc.constantFrom('0', '1', '10', '00', ''), digits),
    fc.oneof(
      fc.constant(''),
      digits.map(each => `.${each}`),
      digits.map(each => `.00000${each}`),
    ),
    fc.constantFrom('', '', '', '', 'e3', 'E-7', 'e+21', 'e', 'e400', 'x'),
  )
  .map(parts => parts.join(''))
const plainNumeral = fc
  .oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer().map(n => n / 1000),
  )
  .map(n => JSON.stringify(n))
const plainTime = fc
  .tuple(
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
    fc.oneof(fc.constant(''), fc.constantFrom('.1', '.123', '.123456', '.1234567', '.000001', '.')),
  )
  .map(
    ([minute, second, fraction]) =>
      `2024-05-06T07:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}${fraction}Z`,
  )
const time = fc.oneof(
  { weight: 6, arbitrary: plainTime },
  fc.constantFrom(
    '20240506T075959.12345Z',
    '2024-05-06 07:59:59.123Z',
    '2024-05-05T24:00:00Z',
    '2024-05-05T24:00:30Z',
    '2024-05-06T07:59:60Z',
    '2024-05-06T07:60:00Z',
    '2024-02-30T07:00:00Z',
    '2024-05-06T07:59:59',
    '2024-05-06T07:59:59+02:00',
    '2024-05-06t07:59:59z',
    '2024-05-06T07:59:5xZ',
    '2024-05-06T07:59:59.12x456Z',
    '2024-05-08T07:59:59Z',
    '1999-05-06T07:59:59Z',
    '2024-05-06T07-59-59Z',
    '2024-05-06T0759:5912Z',
    `2024-05-06T07:59:59.${'1'.repeat(16_363)}Z`,
    `2024-05-06T07:59:59.${'1'.repeat(16_364)}Z`,
  ),
)
const field = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('timestamp'), quoted(time)) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('key'), quoted(text)) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('type'), quoted(text)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('value'), fc.oneof(plainNumeral, numeral, quoted(text))) },
  fc.tuple(
    fc.constantFrom('subtype', 'category', 'nativeCode', 'sequence', 'junk', 'samples', 'machineId'),
    quoted(text),
  ),
  fc.tuple(
    fc.constantFrom('subtype', 'category', 'value', 'key'),
    fc.constantFrom('null', 'nul', 'true', '{}', '[]', '1'),
  ),
  fc.tuple(fc.constant('category'), quoted(fc.constantFrom('SAMPLE', 'event', 'CONDITION'))),
)
const usual = fc
  .record({
    timestamp: quoted(plainTime),
    key: quoted(fc.constantFrom('Xabs', 'Srpm', 'execution')),
    type: quoted(fc.constantFrom('POSITION', 'Part Count', 'SYSTEM')),
    value: fc.oneof(plainNumeral, quoted(fc.constantFrom('ACTIVE', 'unavailable', 'Fault', '', 'x'.repeat(70)))),
    category: fc.option(quoted(fc.constantFrom('SAMPLE', 'EVENT', 'CONDITION', 'condition')), { nil: undefined }),
    subtype: fc.option(fc.oneof(quoted(fc.constantFrom('ACTUAL', 'actual')), fc.constant('null')), { nil: undefined }),
  })
  .map(fields =>
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
const fields = fc.oneof(
  { weight: 24, arbitrary: usual },
  fc.tuple(usual, fc.array(field, { maxLength: 2 })).map(([known, odd]) => known.concat(odd)),
)
const shuffled = fields.chain(list => {
  const whole = fc.shuffledSubarray(list, { minLength: list.length })
  return fc.oneof({ weight: 9, arbitrary: whole }, fc.shuffledSubarray(list))
})
const object = (members: fc.Arbitrary<readonly (readonly [string, string])[]>) =>
  fc
    .tuple(members, blank)
    .map(
      ([list, space]) =>
        `{${space}${list.map(([name, value]) => `${space}"${name}"${space}:${space}${value}${space}`).join(',')}}`,
    )
const id = quoted(
  fc.oneof(
    { weight: 18, arbitrary: fc.constantFrom(...ids, ids[0]?.toUpperCase() ?? '') },
    fc.constantFrom('none', ''),
  ),
)
const list = (items: fc.Arbitrary<string>) =>
  fc.tuple(fc.array(items, { maxLength: 4 }), blank).map(([all, space]) => `[${space}${all.join(`${space},`)}${space}]`)
const batch = object(
  fc
    .tuple(id, list(object(shuffled)))
    .map(([own, samples]) => [['machineId', own] as const, ['samples', samples] as const]),
)
const single = object(fc.tuple(id, shuffled).map(([own, members]) => members.toSpliced(0, 0, ['machineId', own])))
const one = fc.oneof(batch, single)
const body = fc
  .tuple(
    fc.oneof(
      one,
      list(one),
      fc
        .tuple(fc.array(one, { maxLength: 4 }), fc.constantFrom('\n', '\n\n', '\r\n', ' ', ''))
        .map(([all, between]) => all.join(between)),
    ),
    blank,
    fc.option(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { nil: null, freq: 4 }),
  )
  .map(([json, space, damage]) => {
    const bytes = Buffer.from(space + json + space)
    if (damage && bytes.length > 0) bytes[damage[0] % bytes.length] = damage[1]
    return bytes
  })

/** Writes samples of one layout with the given time and value. */
type Layout = (time: string, value: string) => string
const layout: fc.Arbitrary<Layout> = fc.tuple(shuffled, blank).map(
  ([list, space]) =>
    (at, measured) =>
      `{${space}${list
        .map(([name, own]) => `"${name}":${space}${{ timestamp: at, value: measured }[name] ?? own}`)
        .join(`${space},`)}}`,
)
/** A body whose samples share a few layouts, as senders write them; some samples deviate. */
const alike = fc
  .tuple(
    fc.array(layout, { minLength: 1, maxLength: 3 }),
    fc.array(
      fc.tuple(
        fc.nat(5),
        fc.oneof({ weight: 120, arbitrary: quoted(plainTime) }, quoted(time)),
        fc.oneof(
          { weight: 120, arbitrary: plainNumeral },
          { weight: 120, arbitrary: quoted(fc.constantFrom('ACTIVE', 'unavailable', 'Fault')) },
          numeral,
          quoted(text),
          fc.constantFrom('null', '1,"value":2', '1 ', '1,"x":1'),
        ),
      ),
      { minLength: 2, maxLength: 12 },
    ),
    fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))),
    fc.constantFrom<'batch' | 'list' | 'lines' | 'mixed'>('batch', 'list', 'lines', 'mixed'),
  )
  .map(([layouts, samples, damage, form]) => {
    const written = samples.map(([place, at, measured]) => layouts[place % layouts.length]?.(at, measured) ?? '')
    const inBatch = (id: string | undefined, of: readonly string[]) =>
      `{"machineId":"${id}","samples":[${of.join(',')}]}`
    const alone = written.map((json, place) => `{"machineId":"${ids[place % 3] ?? ids[0]}",${json.slice(1)}`)
    const bytes = Buffer.from(
      {
        batch: inBatch(ids[0], written),
        list: `[${alone.join(',')}]`,
        lines: alone.join('\n'),
        // Samples of one machine are sent singly, in a batch, and singly again.
        mixed: [...alone, inBatch(ids[0], written), ...alone].join('\n'),
      }[form],
    )
    if (damage) bytes[damage[0] % bytes.length] = damage[1]
    return bytes
  })

describe('plain samples', () => {
  it('Samples that share a layout are decoded and accepted as by the general JSON decoder', async () => {
    let known = 0
    await fc.assert(
      fc.asyncProperty(alike, async json => {
        fc.pre(!isCompact(json))
        if (stateOf(json, { mayBeLines: true }) === 'end') known++
        comparePlain(json)
        const [plain, other] = [
          await accepted(json, 'application/json', true),
          await accepted(json, 'application/json', false),
        ]
        assert.deepEqual(plain.samples, other.samples)
        assert.deepEqual(plain.answer, other.answer)
      }),
      { numRuns: 2_000 },
    )
    expect(known).to.be.above(400)
  })

  it('Any body is decoded as by the general JSON decoder', () => {
    let known = 0
    fc.assert(
      fc.property(body, json => {
        fc.pre(!isCompact(json))
        if (stateOf(json) === 'end') known++
        comparePlain(json)
      }),
      { numRuns: 6_000 },
    )
    expect(known).to.be.above(250)
  })

  it('Any body is accepted or rejected as by the general JSON decoder, for any content type', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom('application/json', 'application/x-ndjson'), async (json, contentType) => {
        const [plain, other] = [await accepted(json, contentType, true), await accepted(json, contentType, false)]
        assert.deepEqual(plain.samples, other.samples)
        assert.deepEqual(plain.answer, other.answer)
      }),
      { numRuns: 2_000 },
    )
  })

  it('500 single samples of two machines are appended in at most two records', async () => {
    const lines = Array.from({ length: 500 }, (_, value) =>
      JSON.stringify({ machineId: ids[value % 2], timestamp: '2024-05-06T07:00:00Z', key: 'a', type: 'b', value }),
    )
    for (const json of [lines.join('\n'), `[${lines.join(',')}]`, [...lines, '{}'].join('\n')]) {
      const { samples, count } = await accepted(Buffer.from(json), 'application/x-ndjson', true)
      expect(count).to.be.at.most(2)
      const values = [...samples.values()].map(own => own.map(({ value }) => Number(value)))
      const even = Array.from({ length: 250 }, (_, i) => 2 * i)
      expect(values).to.have.deep.members([even, even.map(value => value + 1)])
    }
  })

  it('PlainJson reads one sample after the other, of all batches', () => {
    const samples = Array.from({ length: 1_000 }, (_, value) => ({
      timestamp: '2024-05-06T07:00:00Z',
      key: 'a',
      type: 'b',
      value,
    }))
    const json = Buffer.from(JSON.stringify(ids.map(machineId => ({ machineId, samples }))))
    const reader = new PlainJson(json, context, false)
    const values: string[] = []
    while (reader.next() === 'sample')
      values.push(`${reader.machine.id} ${reader.bytes.toString('latin1', reader.start, reader.end)}`)
    expect(values).to.deep.equal(ids.flatMap(id => samples.map(({ value }) => `${id} ${value}`)))
  })

  it('A large plain body yields to the event loop while it is accepted', async () => {
    const value = 'x'.repeat(10_000)
    const sample = { machineId: ids[0], timestamp: '2024-05-06T07:00:00Z', key: 'a', type: 'b', value }
    const json = Buffer.from(JSON.stringify(Array.from({ length: 3_000 }, () => sample)))
    let turns = 0
    const count = setInterval(() => turns++)
    const { count: records } = await accepted(json, 'application/json', true)
    clearInterval(count)
    expect(records).to.be.above(100)
    expect(turns).to.be.above(2)
  })

  it('PlainJson rejects a timestamp that exceeds the text limit, as the general decoder does', () => {
    const read = (digits: number) => {
      const timestamp = `2024-05-06T07:59:59.${'1'.repeat(digits)}Z`
      const json = Buffer.from(JSON.stringify({ machineId: ids[0], timestamp, key: 'a', type: 'b', value: 1 }))
      comparePlain(json)
      return stateOf(json)
    }
    expect(read(16_363)).to.equal('end')
    expect(read(16_364)).to.equal('other')
  })

  it('PlainJson leaves bodies with a very long text, number or white space to the general decoder', () => {
    const most = 1_000_000
    const parts = {
      blank: '',
      timestamp: '"2024-05-06T07:59:59.1Z"',
      value: '1',
      text: '"a"',
    }
    const read = (changed: Partial<typeof parts>) => {
      const { blank, timestamp, value, text } = { ...parts, ...changed }
      const json = `{"machineId":"${ids[0]}","key":${text},"timestamp":${timestamp},"type":"b",${blank}"value":${value}}`
      const bytes = Buffer.from(json)
      comparePlain(bytes)
      return stateOf(bytes)
    }
    expect(read({})).to.equal('end')
    expect(read({ blank: '\n'.padEnd(100) })).to.equal('end')
    expect(read({ blank: ' '.repeat(most) })).to.equal('other')
    expect(read({ timestamp: `"2024-05-06T07:59:59.${'1'.repeat(most)}Z"` })).to.equal('other')
    for (const value of ['1'.repeat(most), `1.${'1'.repeat(most)}`, `1e-${'0'.repeat(most)}1`, `"${'1'.repeat(most)}"`])
      expect(read({ value }), value.slice(0, 9)).to.equal('other')
    expect(read({ text: `"${'1'.repeat(most)}"` })).to.equal('other')
  })

  it('PlainJson leaves numbers beyond the range of a double to the general decoder', () => {
    for (const value of ['1321211E339', '-1e309']) {
      const json = `{"machineId":"${ids[0]}","key":"a","timestamp":"2024-05-06T07:00:00Z","type":"b","value":${value}}`
      const bytes = Buffer.from(json)
      expect(stateOf(bytes), value).to.equal('other')
      comparePlain(bytes)
    }
  })

  it('PlainJson leaves a body that may exceed a limit to the general decoder', () => {
    const samples = [1, 2, 3].map(value => ({ timestamp: '2024-05-06T07:00:00Z', key: 'a', type: 'b', value }))
    const json = Buffer.from(JSON.stringify({ machineId: ids[0], samples }))
    const read = (bounds: Partial<typeof recordBounds>) => stateOf(json, { bounds: { ...recordBounds, ...bounds } })
    expect(read({})).to.equal('end')
    for (const bounds of [
      { elements: 2 },
      { bytes: 100 },
      { depth: 3 },
      { keys: 7 },
      { values: 32 },
      { textBytes: 100 },
    ])
      expect(read(bounds), JSON.stringify(bounds)).to.equal('other')
  })
})

/** Reads all of a record or a body. */
function stateOf(
  json: Buffer,
  { bounds = recordBounds, mayBeLines = false }: { readonly bounds?: JsonBounds; readonly mayBeLines?: boolean } = {},
) {
  const reader = new PlainJson(json, { ...context, bounds }, mayBeLines)
  let state = reader.next()
  while (state === 'sample') state = reader.next()
  return state
}

/** Expects that a record of plain samples has the samples that the general JSON decoder returns. */
function comparePlain(json: Buffer): void {
  const samples = readPlain(json, context)
  if (samples === null) return
  const { accepted, rejected } = decodeJson(json, context)
  assert.deepEqual(
    samples,
    accepted.map(({ sample }) => sample),
  )
  assert.deepEqual(rejected, [])
}

/** No plain body contains this much white space. */
const blanks = Buffer.alloc(1_100, ' ')

/** Response of an acceptor and the samples that it appends, by machine. `isPlain`: it may read the body as plain samples. */
async function accepted(json: Buffer, contentType: string, isPlain: boolean) {
  const records: NewRecord[] = []
  const log = {
    partitionCount: async () => 4,
    append: async (topic: string, some: readonly NewRecord[]) => {
      if (topic === topics.samples) records.push(...some)
      return []
    },
  }
  const find = { find: context.machine }
  const acceptor = createAcceptor({ log, machines: find, now: () => nowMs })
  const answer = await acceptor
    .accept({ companyRef: asCompanyRef(1), body: isPlain ? json : Buffer.concat([blanks, json]), contentType })
    .catch((error: unknown) => String(error))
  const samples = new Map<number, Sample[]>()
  for (const { key, partition, value } of records)
    for (const { sample, machine } of decodeRecord(value, context).accepted) {
      expect(partition ?? partitionOfKey(key ?? '', 4)).to.equal(partitionOfKey(machine.id, 4))
      samples.set(machine.ref, [...(samples.get(machine.ref) ?? []), wellFormed(sample)])
    }
  return { answer, samples, count: records.length }
}

/** The compact form and the store are UTF-8: half a surrogate pair becomes U+FFFD. */
function wellFormed(sample: Sample): Sample {
  const texts = Object.entries(sample).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? Buffer.from(value).toString() : value,
  ])
  return Object.assign({}, sample, Object.fromEntries(texts))
}
