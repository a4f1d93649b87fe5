import { assert } from 'chai'
import * as fc from 'fast-check'
import { firstSorted } from '../../../shared/collections/first-sorted.ts'

describe('firstSorted', () => {
  it('The result equals the beginning of the sorted items', () => {
    const compare = (a: number, b: number) => a - b
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 1, max: 8 }), (items, limit) => {
        assert.deepEqual(firstSorted(items, limit, compare), items.toSorted(compare).slice(0, limit))
      }),
    )
  })
})
