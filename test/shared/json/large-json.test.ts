import { expect } from 'chai'
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  json,
  jsonValue,
  nat,
  oneof,
  string,
  tuple,
} from 'fast-check'
import { defaultJsonBounds, JsonOutOfBounds } from '../../../shared/json/bounds.ts'
import { parseJson } from '../../../shared/json/parse-json.ts'
import { parseJsonCooperatively } from '../../../shared/json/large-json.ts'

type Answer = { readonly value: unknown } | { readonly problem: string }

async function answer(read: () => unknown): Promise<Answer> {
  try {
    return { value: await read() }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: 'no JSON' }
    if (error instanceof JsonOutOfBounds) return { problem: error.message }
    throw error
  }
}

const bounds = { ...defaultJsonBounds, depth: 6, elements: 12, keys: 8, values: 60, textBytes: 30, keyBytes: 12 }

async function expectSame(bytes: Uint8Array, chunkBytes: number): Promise<void> {
  const whole = await answer(() => parseJson(bytes, bounds))
  const inTurns = await answer(() => parseJsonCooperatively(bytes, bounds, chunkBytes))
  expect(inTurns).to.deep.equal(whole)
  if ('value' in whole && 'value' in inTurns)
    expect(JSON.stringify(inTurns.value)).to.equal(JSON.stringify(whole.value))
}

describe('parseJsonCooperatively', () => {
  it('JSON parsed in chunks equals the result of JSON.parse, for any chunk size', () =>
    assert(
      asyncProperty(
        json({ maxDepth: 5 }),
        constantFrom(undefined, 1),
        integer({ min: 1, max: 60 }),
        (text, space, bytes) => expectSame(Buffer.from(JSON.stringify(JSON.parse(text), null, space)), bytes),
      ),
      { numRuns: 2_000 },
    ))

  it('Random tokens parsed in chunks are rejected exactly if JSON.parse rejects them', () => {
    const tokens = constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"a"',
      '"b":',
      '"__proto__":',
      '1',
      '-',
      'null',
      ' ',
      '\n',
      '"',
      '\\',
      '\uFEFF',
      'é',
    )
    const junk = array(oneof(tokens, string({ maxLength: 3 })), { maxLength: 30 })
    return assert(
      asyncProperty(junk, integer({ min: 0, max: 12 }), (parts, bytes) =>
        expectSame(Buffer.from(parts.join('')), bytes),
      ),
      { numRuns: 5_000 },
    )
  })

  it('Damaged JSON parsed in chunks has the same outcome as in one chunk', () => {
    const change = tuple(
      nat(),
      nat({ max: 4 }),
      string({ maxLength: 3, unit: constantFrom('[', ']', '{', '}', ',', '"', '1', ' ') }),
    )
    return assert(
      asyncProperty(
        jsonValue({ depthSize: 'medium' }),
        array(change, { minLength: 1, maxLength: 3 }),
        integer({ min: 0, max: 30 }),
        (value, changes, bytes) => {
          let text = JSON.stringify(value)
          for (const [at, gone, added] of changes) {
            const place = at % (text.length + 1)
            text = text.slice(0, place) + added + text.slice(place + gone)
          }
          return expectSame(Buffer.from(text), bytes)
        },
      ),
      { numRuns: 5_000 },
    )
  })

  const examples = [
    '{"a":[1,2,3,4,5],"a":5}',
    '{"a":5,"a":[1,2,3,4,5]}',
    '{"a":[1,2,3,4,],"a":5}',
    '{"__proto__":[1,2,3,4],"b":[]}',
    '{"2":[1,2,3,4],"1":{"b":[1,2,3,4]}}',
    '[[1,2,3,4][1,2,3,4]]',
    '[5[1,2,3,4]]',
    '[1,2,3,4}',
    '[{"a":1,"b":2]]',
    '[1,2,3,4]]',
    '[1,2,3,4] 5',
    '[1,2,3,4][5,6,7,8]',
    '\uFEFF[1,2,3,4]',
    '[\uFEFF1,2,3,4]',
    '[1,2,3,4,]',
    '[,1,2,3,4]',
    '[        ,        ]',
    '{        ,        }',
    '["\\u0041","\\",\\"",[[[[1]]]]]',
  ]
  for (const text of examples)
    it(`Parsed in chunks, ${JSON.stringify(text)} has the same outcome for every chunk size`, async () => {
      for (let bytes = 0; bytes <= text.length; bytes++) await expectSame(Buffer.from(text), bytes)
    })

  it('JSON that is not UTF-8 has the same outcome for every chunk size', () =>
    assert(
      asyncProperty(
        array(constantFrom(0x22, 0x2c, 0x5b, 0x5d, 0xc3, 0xa9, 0xef, 0xbb, 0xbf, 0xe2, 0x31), { maxLength: 20 }),
        integer({ min: 0, max: 8 }),
        (bytes, chunkBytes) => expectSame(Buffer.from([0x5b, ...bytes, 0x5d]), chunkBytes),
      ),
      { numRuns: 5_000 },
    ))
})
