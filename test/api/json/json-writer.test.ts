import { expect } from 'chai'
import * as fc from 'fast-check'
import { jsonChunk, JsonWriter } from '../../../api/json/json-writer.ts'

const written = (value: number | string | null): string => {
  const writer = new JsonWriter()
  writer.value(value)
  return writer.drain()
}

/** Numbers with a few digits, of all sizes, as in reports. */
const decimal = fc
  .tuple(fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }), fc.integer({ min: -25, max: 25 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
const ratio = fc.double({ min: -2, max: 2, noNaN: true }).map(value => Number(value.toPrecision(10)))
const nearWhole = fc
  .tuple(fc.maxSafeInteger(), fc.constantFrom(0, 0.5, 1e-9, -1e-9, 1e-4, 0.1))
  .map(([whole, more]) => whole + more)

describe('JsonWriter', () => {
  it('Numbers are written as by JSON.stringify', () => {
    const number = fc.oneof(fc.double(), fc.float(), fc.maxSafeInteger(), fc.integer(), decimal, ratio, nearWhole)
    fc.assert(
      fc.property(number, value => {
        expect(written(value)).to.equal(JSON.stringify(value))
      }),
      { numRuns: Number(process.env['TAKT_NUMBERS'] ?? 20_000) },
    )
  })

  it('Numbers at the limits of each notation are written as by JSON.stringify', () => {
    const powers = Array.from({ length: 50 }, (_, i) => 10 ** (i - 25))
    const sizes = powers.flatMap(power => [
      power,
      power * 0.9999999999,
      power * 1.000000001,
      power - 1,
      power + 1,
      power / 3,
    ])
    const edges = [
      0,
      -0,
      NaN,
      Infinity,
      -Infinity,
      Number.MIN_VALUE,
      Number.MAX_VALUE,
      Number.EPSILON,
      2 ** 31,
      2 ** 32,
      2 ** 53,
    ]
    for (const value of [...sizes, ...edges])
      for (const signed of [value, -value]) expect(written(signed)).to.equal(JSON.stringify(signed))
  })

  it('Strings and null are written as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(written(text)).to.equal(JSON.stringify(text))
      }),
    )
    expect(written(null)).to.equal('null')
  })

  it('Chunks of any length are written in their order', () => {
    const chunk = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ minLength: 50_000, maxLength: 90_000 }),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(chunk, fc.boolean(), fc.integer())), chunks => {
        const writer = new JsonWriter()
        for (const [text, isChunk, number] of chunks) {
          if (isChunk) writer.chunk(jsonChunk(text))
          else writer.text(text)
          writer.value(number)
        }
        expect(writer.drain()).to.equal(chunks.map(([text, , number]) => text + String(number)).join(''))
        expect(writer.drain()).to.equal('')
      }),
      { numRuns: 50 },
    )
  })

  it('A JsonWriter is full from its size limit until its text is removed', () => {
    const writer = new JsonWriter()
    writer.text('x'.repeat(60_000))
    expect(writer.isFull).to.equal(false)
    writer.chunk(jsonChunk('y'.repeat(10_000)))
    expect(writer.isFull).to.equal(true)
    expect(writer.drain()).to.have.length(70_000)
    expect(writer.isFull).to.equal(false)
  })
})
