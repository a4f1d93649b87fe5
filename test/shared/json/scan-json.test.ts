import { expect } from 'chai'
import { assert, constantFrom, json, jsonValue, property } from 'fast-check'
import { defaultJsonBounds, type JsonBounds, JsonOutOfBounds } from '../../../shared/json/bounds.ts'
import { parseJson } from '../../../shared/json/parse-json.ts'
import { JsonScan } from '../../../shared/json/scan-json.ts'

const boundless: JsonBounds = {
  bytes: Infinity,
  depth: 10_000,
  elements: Infinity,
  keys: Infinity,
  values: Infinity,
  textBytes: Infinity,
  keyBytes: Infinity,
}

/** Returns the limit that the JSON exceeds; null: none. */
function exceeded(text: string, bounds: Partial<JsonBounds>): keyof JsonBounds | null {
  try {
    new JsonScan(Buffer.from(text), { ...boundless, ...bounds }).advance(Infinity)
    return null
  } catch (error) {
    if (error instanceof JsonOutOfBounds) return error.bound
    throw error
  }
}

describe('limits of JSON', () => {
  const examples: readonly [keyof JsonBounds, number, string, string][] = [
    ['bytes', 6, '[1,23]', '[1, 23]'],
    ['bytes', 4, '"é"', '"éa"'],
    ['depth', 2, '[[],{}]', '[{"a":[]}]'],
    ['depth', 1, '["[[["]', '[[]]'],
    ['elements', 3, '[1,2,3]', '[1,2,3,4]'],
    ['elements', 2, '[[1,2],[3,4]]', '[[1,2],[3,4,5]]'],
    ['elements', 1, '[{"a":1,"b":2,"c":"1,2,3"}]', '[1,2]'],
    ['keys', 2, '{"a":1,"b":[1,2,3]}', '{"a":1,"b":2,"c":3}'],
    ['keys', 2, '[{"a":1,"b":2},{"a":1,"b":2}]', '[{"a":1,"a":2,"a":3}]'],
    ['values', 4, '[1,2,3]', '[1,2,3,4]'],
    ['values', 4, '{"a":{"b":1},"c":2}', '{"a":{"b":1},"c":2,"d":3}'],
    ['textBytes', 4, '["abcd","éé"]', '["abcde"]'],
    ['textBytes', 4, String.raw`["\"\""]`, String.raw`["\"\"\""]`],
    ['keyBytes', 3, '{"abc":"defgh"}', '{"abcd":1}'],
    ['keyBytes', 3, '{"abc" : "abcd"}', '{"abcd" : 1}'],
  ]
  for (const [bound, limit, within, beyond] of examples) {
    it(`With a limit of ${limit} ${bound}, ${within} is accepted and ${beyond} is rejected`, () => {
      expect(exceeded(within, { [bound]: limit })).to.equal(null)
      expect(exceeded(beyond, { [bound]: limit })).to.equal(bound)
    })
  }

  it('Limits of JSON count exactly what JSON.parse creates, for any JSON', () => {
    assert(
      property(jsonValue({ depthSize: 'medium' }), constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify(value, null, space)
        const { depth, elements, keys, values } = measure(value)
        const exact = { depth, elements, keys, values: values + emptyContainers(value) }
        expect(exceeded(text, exact)).to.equal(null)
        if (depth > 0) expect(exceeded(text, { ...exact, depth: depth - 1 })).to.equal('depth')
        if (elements > 1) expect(exceeded(text, { ...exact, elements: elements - 1 })).to.equal('elements')
        if (keys > 1) expect(exceeded(text, { ...exact, keys: keys - 1 })).to.equal('keys')
        if (values > 1) expect(exceeded(text, { ...exact, values: exact.values - 1 })).to.equal('values')
      }),
    )
  })

  it('Limits of JSON apply to invalid JSON as far as a parser would read it', () => {
    expect(exceeded('['.repeat(50_000), { depth: 32 })).to.equal('depth')
    expect(exceeded(`{"a":${'['.repeat(50_000)}`, { depth: 32 })).to.equal('depth')
    expect(exceeded(`[${'0,'.repeat(50_000)}`, { elements: 1_000 })).to.equal('elements')
    expect(exceeded(`"${'a'.repeat(50_000)}`, { textBytes: 1_000 })).to.equal('textBytes')
    expect(exceeded(']]]]}}}}[[', { depth: 2 })).to.equal(null)
    expect(exceeded('"\\', {})).to.equal(null)
    expect(exceeded('', {})).to.equal(null)
  })
})

describe('parseJson', () => {
  it('parseJson returns the same as JSON.parse', () => {
    assert(
      property(json({ stringUnit: 'binary' }), text => {
        expect(parseJson(text)).to.deep.equal(JSON.parse(text))
        expect(parseJson(Buffer.from(text))).to.deep.equal(JSON.parse(Buffer.from(text).toString()))
      }),
    )
  })

  it('parseJson accepts a byte order mark', () => {
    expect(parseJson(Buffer.from('\uFEFF[1]'))).to.deep.equal([1])
    expect(parseJson('\uFEFF[1]')).to.deep.equal([1])
  })

  it('parseJson throws a SyntaxError for invalid JSON', () => {
    for (const text of ['', '[', '{"a":}', 'nothing']) expect(() => parseJson(text)).to.throw(SyntaxError)
  })

  it('The error of a JSON limit names the limit and its value, and contains none of the input', () => {
    const bounds = { ...defaultJsonBounds, elements: 3 }
    const sent = () => parseJson('["secret","secret","secret","secret"]', bounds)
    expect(sent).to.throw(JsonOutOfBounds, /^an array must have at most 3 elements$/)
  })
})

type Measured = Pick<JsonBounds, 'depth' | 'elements' | 'keys' | 'values'>

function measure(value: unknown): Measured {
  if (typeof value !== 'object' || value === null) return { depth: 0, elements: 0, keys: 0, values: 1 }
  const members = Object.values(value).map(measure)
  const most = (name: keyof Measured) => Math.max(0, ...members.map(each => each[name]))
  const own = members.length
  return {
    depth: most('depth') + 1,
    elements: Math.max(Array.isArray(value) ? own : 0, most('elements')),
    keys: Math.max(Array.isArray(value) ? 0 : own, most('keys')),
    values: members.reduce((sum, each) => sum + each.values, 1),
  }
}

/** Returns the number of empty arrays and objects: each counts as one value more than it contains. */
function emptyContainers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return members.length === 0 ? 1 : members.reduce((sum: number, each) => sum + emptyContainers(each), 0)
}
