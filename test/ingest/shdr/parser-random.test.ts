import { assert } from 'chai'
import * as fc from 'fast-check'
import { ArrivalOrder } from '../../../ingest/shdr/arrival-order.ts'
import { LineSplitter, maxLineBytes } from '../../../ingest/shdr/lines.ts'
import { ShdrParser } from '../../../ingest/shdr/parser.ts'
import type { ParsedLine } from '../../../ingest/shdr/parsed-line.ts'
import { deviceWith, faultsOf, parseChunks, parseLines, receivedUs } from './parsed.ts'
import { usedHeapMb } from '../../support/heap.ts'

const mill = deviceWith(`
  <DataItem id="x1" name="exec" category="EVENT" type="EXECUTION"/>
  <DataItem id="x2" name="count" category="EVENT" type="PART_COUNT"><ResetTrigger>DAY</ResetTrigger></DataItem>
  <DataItem id="x3" name="servo" category="CONDITION" type="ACTUATOR"/>
  <DataItem id="x4" name="ss" category="SAMPLE" type="ROTARY_VELOCITY"><Source>speed</Source></DataItem>
  <DataItem id="m1" name="note" category="EVENT" type="MESSAGE"/>
  <DataItem id="t1" name="vib" category="SAMPLE" type="ACCELERATION" representation="TIME_SERIES"/>
  <DataItem id="al" name="alarm" category="EVENT" type="ALARM"/>
  <DataItem id="as" name="asset_chg" category="EVENT" type="ASSET_CHANGED"/>
  <DataItem id="ds" name="vars" category="EVENT" type="VARIABLE" representation="DATA_SET"/>
  <DataItem id="tb" name="offsets" category="EVENT" type="WORK_OFFSET" representation="TABLE"/>`)
const lathe = deviceWith('<DataItem id="x9" name="exec" category="EVENT" type="EXECUTION"/>', 'Lathe')

/** An observation that the test writes: its names in the log, its key and its fields. */
interface Written {
  readonly names: readonly string[]
  readonly key: string
  readonly fields: readonly string[]
  readonly values: readonly string[]
}

const text = fc
  .array(fc.constantFrom('a', 'B', '7', '.', ' ', '|', '"', '\\', ':', '@', '-', 'é', 'ü', '=', '{', '}'), {
    maxLength: 12,
  })
  .map(chars => chars.join('').trim())
/** Text beyond Latin-1, so that a line with it is UTF-8. */
const wideText = fc.tuple(text, fc.constantFrom('', '', '…', '漢', '😀')).map(parts => parts.join(''))
const number = fc.integer({ min: -99, max: 99 }).map(String)

const valueOf = (names: readonly string[], key: string, value: fc.Arbitrary<string>) =>
  value.map((one): Written => ({ names, key, fields: [one], values: [one] }))

const observation: fc.Arbitrary<Written> = fc.oneof(
  valueOf(['exec', 'x1', 'Mill:exec', 'uuid-Mill:x1'], 'exec', wideText),
  valueOf(['ss', 'speed', 'x4', 'Mill:speed'], 'ss', number),
  number.map(one => ({ names: ['count', 'x2'], key: 'count', fields: [`${one}:DAY`], values: [one] })),
  fc
    .tuple(fc.constantFrom('NORMAL', 'Warning', 'fault'), text, text, text, wideText)
    .map(fields => ({ names: ['servo', 'x3'], key: 'servo', fields, values: fields })),
  fc.tuple(text, wideText).map(([code, note]) => ({
    names: ['note', 'Mill:m1'],
    key: 'note',
    fields: [code, note],
    values: [note, code],
  })),
  fc.array(number, { minLength: 1, maxLength: 5 }).map(numbers => ({
    names: ['vib', 't1'],
    key: 'vib',
    fields: [String(numbers.length), '100.5', numbers.join(' ')],
    values: [numbers.at(-1) ?? ''],
  })),
  fc.tuple(text, text, text, text, wideText).map(([name, code, severity, state, note]) => ({
    names: ['alarm'],
    key: 'alarm',
    fields: [name, code, severity, state, note],
    values: [note, code, severity, state],
  })),
  fc
    .tuple(text, text)
    .map(([type, id]) => ({ names: ['asset_chg'], key: 'asset_chg', fields: [type, id], values: [id] })),
)

interface WrittenLine {
  readonly observations: readonly (readonly [Written, name: number])[]
  readonly isLatin1: boolean
  readonly end: string
}

const line: fc.Arbitrary<WrittenLine> = fc.record({
  observations: fc.array(fc.tuple(observation, fc.nat(3)), { minLength: 1, maxLength: 4 }),
  isLatin1: fc.boolean(),
  end: fc.constantFrom('\n', '\r\n', '\n* PONG 10000\n', '\n\n'),
})

/** Writes a field: in quotes if it has a pipe or could be read as one in quotes. */
function written(field: string): string {
  return /[|"]/.test(field) ? `"${field.replace(/[|"\\]/g, '\\$&')}"` : field
}

function bytesOf({ observations, isLatin1, end }: WrittenLine, index: number): Buffer {
  const parts = observations.map(([{ names, fields }, name]) =>
    [names[name % names.length], ...fields.map(written)].join('|'),
  )
  const time = new Date(Date.UTC(2024, 4, 6) + index * 1000).toISOString()
  const whole = `${time}|${parts.join('|')}${end}`
  const hasWide = /[^\0-ÿ]/.test(whole)
  return Buffer.from(whole, isLatin1 && !hasWide ? 'latin1' : 'utf8')
}

/** Key and contents of the observations, without empty ones at the end. */
function contentsOf(parsed: readonly ParsedLine[]): readonly (readonly string[])[] {
  return parsed.flatMap(({ observations }) =>
    observations.map(({ key, value, nativeCode = '', nativeSeverity = '', qualifier = '', message = '' }) =>
      withoutEmptyEnd([key, value, nativeCode, nativeSeverity, qualifier, message]),
    ),
  )
}

function withoutEmptyEnd(texts: readonly string[]): readonly string[] {
  return texts.slice(0, texts.findLastIndex(one => one !== '') + 1)
}

function split(bytes: Buffer, borders: readonly number[]): readonly Buffer[] {
  const at = [0, ...borders.map(border => border % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

const borders = fc.array(fc.nat(2000), { maxLength: 12 })

describe('SHDR parser with random input', () => {
  it('Written observations are parsed as they were written, with chunk borders anywhere', () => {
    const property = fc.property(fc.array(line, { maxLength: 8 }), borders, (lines, cuts) => {
      const bytes = Buffer.concat(lines.map(bytesOf))
      const parsed = parseChunks([mill, lathe].slice(0, 1), split(bytes, cuts))
      const expected = lines.flatMap(({ observations }) =>
        observations.map(([{ key, values }]) => withoutEmptyEnd([key, ...values])),
      )
      assert.deepEqual(contentsOf(parsed), expected)
      assert.deepEqual(faultsOf(parsed), [])
    })
    fc.assert(property, { numRuns: 1_000 })
  })

  const anyLine = fc.tuple(line, fc.nat(5)).map(([one, index]) => bytesOf(one, index))
  const otherLine = fc.constantFrom(
    '2024-05-06T06:00:00Z|note|1|--multiline--A\nx\n--multiline--A\n',
    '2024-05-06T06:00:00Z|@ASSET@|a|b|--multiline--B\n<x>\n',
    '--multiline--B\n',
    '* device: Lathe\n',
    '* device: Mill\n',
    '|vars|:DAY a=1 b="x y" c={z\\}} d\n',
    "2024-05-06T06:00:00Z@1.5|offsets|r={a=1 b='c'} q\n",
    'x|exec|ACTIVE\n',
  )
  const mutation = fc.record({
    at: fc.nat(),
    length: fc.nat(4),
    by: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom('|', '"', '\\', '\n', ':', '{', '*', '@').map(char => Buffer.from(char)),
    ),
  })
  const mutated = fc
    .tuple(
      fc.array(
        fc.oneof(
          anyLine,
          otherLine.map(one => Buffer.from(one)),
        ),
        { maxLength: 8 },
      ),
      fc.array(mutation, { maxLength: 6 }),
    )
    .map(([lines, mutations]) => {
      let bytes = Buffer.concat(lines)
      for (const { at, length, by } of mutations) {
        const from = at % (bytes.length + 1)
        bytes = Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(from + length)])
      }
      return bytes
    })

  it('Random bytes and mutated lines never throw, and chunk borders do not change the result', () => {
    const input = fc.oneof(
      { weight: 4, arbitrary: mutated },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)) },
    )
    const property = fc.property(input, borders, (bytes, cuts) => {
      const whole = parseChunks([mill, lathe], [bytes])
      assert.deepEqual(parseChunks([mill, lathe], split(bytes, cuts)), whole)
      const order = new ArrivalOrder()
      const observations = whole.flatMap(parsed => parsed.observations)
      assert.isAtMost(observations.length, bytes.length)
      for (const one of observations) order.accept(one)
    })
    fc.assert(property, { numRuns: 3_000 })
  })

  it('The delivery keeps the order of arrival of each key if times do not go back', () => {
    const steps = fc.array(
      fc.record({ byUs: fc.constantFrom(0, 0, 0, 1, 2, 1000), value: fc.constantFrom('A', 'B') }),
      { maxLength: 30 },
    )
    const property = fc.property(steps, given => {
      let atUs = 0
      const order = new ArrivalOrder()
      const base = {
        device: mill,
        key: 'exec',
        item: mill.items.get('exec'),
        category: 'EVENT',
        timestamp: '1970-01-01T00:00:00Z',
      } as const
      const sent = given.map(({ byUs, value }) => ({ ...base, atUs: (atUs += byUs), value }))
      const delivered = sent.map(one => order.accept(one))
      const expected = sent.filter(
        ({ atUs: time, value }, i) => i === 0 || sent[i - 1]?.atUs !== time || sent[i - 1]?.value !== value,
      )
      const kept = delivered.flatMap(one => one ?? [])
      assert.deepEqual(
        kept.map(({ value }) => value),
        expected.map(({ value }) => value),
      )
      kept.forEach((one, i) => {
        const previousUs = kept[i - 1]?.atUs ?? -1
        assert.equal(one.atUs, Math.max(expected[i]?.atUs ?? 0, previousUs + 1))
      })
      assert.equal(order.backwards, 0)
    })
    fc.assert(property, { numRuns: 500 })
  })

  describe('limits', () => {
    const time = '2024-05-06T06:00:00Z|'
    const fill = (part: string, length = maxLineBytes) => part.repeat(Math.floor((length - 64) / part.length))
    const hostile: Readonly<Record<string, string>> = {
      pipes: fill('|'),
      'unknown keys': fill('a|1|'),
      'devices before keys': fill('Mill:a|b:c|'),
      'numbers as keys': fill('1|'),
      quotes: fill('"|'),
      'escaped quotes': fill('"\\|'),
      'quotes and blanks': fill('"" '),
      'one open quote': `"${fill('\\|')}`,
      'conditions of unknown keys': fill('k|FAULT|||||'),
      'a text with pipes': `servo|FAULT|1|||${fill('x|')}`,
      'texts with pipes': fill('servo|FAULT|1|||x|y|'),
      assets: fill('@REMOVE_ALL_ASSETS@|'),
      'values of a time series': `vib|1|1|${fill('1 ')}`,
      'one value of a time series': `vib|1|1|${fill('1')} x`,
      'entries of a data set': `vars|${fill('a=1 ')}`,
      'new entries of a data set': `vars|${Array.from({ length: 100_000 }, (_, i) => `k${i}=1`).join(' ')}`,
      'braces of a data set': `vars|a=${fill('{')}`,
      'rows of a table': `offsets|${fill('a={b=1}')}`,
      'an open row': `offsets|a={${fill('b=1 ')}`,
      blanks: fill(' '),
      digits: fill('9'),
    }
    for (const [name, fields] of Object.entries(hostile)) {
      it(`A line of 1 MiB with ${name} is parsed in seconds`, () => {
        const startedMs = performance.now()
        const parsed = parseLines([mill], [time + fields, fields])
        assert.isAtMost(performance.now() - startedMs, 10_000)
        for (const { faults } of parsed) assert.isAtMost(faults.length, 10)
      })
    }

    it('A line above 1 MiB is one fault, and the next line is parsed, with chunk borders anywhere', () => {
      const exact = `${time}exec|${'x'.repeat(maxLineBytes - time.length - 5)}`
      const bytes = Buffer.from(`${exact}\n${exact}x\n${time}exec|READY\n`)
      for (const size of [bytes.length, 65_536, 4093, 1]) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        )
        const parsed = parseChunks([mill], chunks)
        assert.deepEqual(faultsOf(parsed), ['line_too_long'], `chunks of ${size}`)
        assert.deepEqual(
          contentsOf(parsed).map(([, value = '']) => value.length),
          [maxLineBytes - time.length - 5, 5],
        )
      }
    })

    it('Long lines with new keys, values and entries do not stay in memory', () => {
      const splitter = new LineSplitter()
      const parser = new ShdrParser({ devices: [mill] })
      const order = new ArrivalOrder()
      const feed = (i: number) => {
        const long = `${i}`.padEnd(500_000, 'v')
        const bytes = Buffer.from(
          `${time}unknown-key-with-the-number-${i}|${long}|servo|FAULT|code-${i}|||${long}\n${time}vars|entry-with-the-number-${i}="a long value" ${' '.repeat(60_000)}\n`,
        )
        for (const line of splitter.push(bytes)) {
          for (const one of parser.parse(line, receivedUs)?.observations ?? []) order.accept(one)
        }
      }
      for (let i = 0; i < 10; i++) feed(i)
      const beforeMb = usedHeapMb()
      for (let i = 10; i < 160; i++) feed(i)
      assert.isBelow(usedHeapMb() - beforeMb, 30)
    })
  })
})
