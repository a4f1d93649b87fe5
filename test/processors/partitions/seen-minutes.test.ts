import { expect } from 'chai'
import * as fc from 'fast-check'
import { SeenMinutes } from '../../../processors/partitions/seen-minutes.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const machineRef = asMachineRef(7)
const hourStartMs = Date.UTC(2026, 0, 5, 7)
/** An offset within a minute; the same ones come again often. */
const anyOffset = fc.oneof(fc.nat(59_999), fc.constantFrom(0, 1, 59_999))
const anyObservation = fc
  .tuple(fc.oneof(fc.nat(59), fc.nat(1)), anyOffset, anyOffset)
  .map(([minute, a, b]) => [minute, Math.min(a, b), Math.max(a, b)] as const)

describe('SeenMinutes', () => {
  it('SeenMinutes has the first and last instant of each minute in order, and `merge` returns whether they changed', () => {
    fc.assert(
      fc.property(fc.array(anyObservation), observations => {
        const seen = new SeenMinutes()
        const expected = new Map<number, readonly [number, number]>()
        for (const [minute, first, last] of observations) {
          const [startMs, known] = [hourStartMs + minute * 60_000, expected.get(minute)]
          const isNews = known === undefined || startMs + first < known[0] || startMs + last > known[1]
          expect(seen.merge(startMs + first, startMs + last)).to.equal(isNews)
          const least = Math.min(startMs + first, known?.[0] ?? Infinity)
          expected.set(minute, [least, Math.max(startMs + last, known?.[1] ?? 0)])
        }
        const inOrder = [...expected]
          .toSorted(([a], [b]) => a - b)
          .map(([, [firstMs, lastMs]]) => ({ firstMs, lastMs }))
        expect(seen.inOrder(machineRef)).to.deep.equal(inOrder.map(each => Object.assign({ machineRef }, each)))
        expect(seen.firstMs).to.equal(inOrder[0]?.firstMs ?? Infinity)
      }),
    )
  })
})
