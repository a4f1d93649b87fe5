import { expect } from 'chai'
import * as fc from 'fast-check'
import { mergeSorted } from '../../../shared/collections/merge-sorted.ts'

const byNumber = (a: number, b: number) => a - b

describe('mergeSorted', () => {
  it('mergeSorted returns the items of all lists in order', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 20 }))), lists => {
        const sorted = lists.map(list => list.toSorted(byNumber))
        expect([...mergeSorted(sorted, byNumber)]).to.deep.equal(lists.flat().sort(byNumber))
      }),
    )
  })

  it('mergeSorted reads each list only as far as necessary', () => {
    let read = 0
    const endless = {
      *[Symbol.iterator]() {
        for (;;) yield read++
      },
    }
    const merged = mergeSorted([endless, [5], []], byNumber)
    expect(Array.from({ length: 7 }, () => merged.next().value)).to.deep.equal([0, 1, 2, 3, 4, 5, 5])
    expect(read).to.be.at.most(7)
  })
})
