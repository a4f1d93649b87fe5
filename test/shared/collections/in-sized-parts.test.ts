import { expect } from 'chai'
import * as fc from 'fast-check'
import { inSizedParts } from '../../../shared/collections/in-sized-parts.ts'

describe('inSizedParts', () => {
  it('Parts are in order and within the limits, and the next item would exceed them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.integer({ min: 1, max: 4 }), fc.nat(20), (items, length, size) => {
        const parts = [...inSizedParts(items, { length, size, sizeOf: item => item })]
        expect(parts.flat()).to.deep.equal(items)
        const sizeOf = (part: readonly number[]) => part.reduce((sum, item) => sum + item, 0)
        const fits = (part: readonly number[]) => part.length === 1 || (part.length <= length && sizeOf(part) <= size)
        for (const [index, part] of parts.entries()) {
          expect(fits(part)).to.equal(true)
          const next = parts[index + 1]?.[0]
          expect(next === undefined || !fits([...part, next])).to.equal(true)
        }
      }),
    )
  })
})
