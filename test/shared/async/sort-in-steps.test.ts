import { expect } from 'chai'
import * as fc from 'fast-check'
import { sortInSteps } from '../../../shared/async/sort-in-steps.ts'
import { runSync } from '../../../shared/async/steps.ts'

describe('sortInSteps', () => {
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key

  it('sortInSteps returns the order of toSorted, including that of equal items', () => {
    const lengths = fc.constantFrom(0, 1, 2, 1_999, 2_000, 2_001, 4_000, 9_973)
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 5_000 }), fc.integer(), (length, keys, seed) => {
        const items = Array.from({ length }, (_, place) => ({ key: (Math.imul(place + 1, seed) >>> 0) % keys, place }))
        expect(runSync(sortInSteps(items, byKey))).to.deep.equal(items.toSorted(byKey))
      }),
      { numRuns: 30 },
    )
  })

  it('A step of sortInSteps compares a limited number of items, whatever their total', () => {
    const items = Array.from({ length: 100_000 }, (_, place) => ({ key: Math.imul(place, 0x9e3779b1) >>> 0 }))
    let compared = 0
    let most = 0
    const steps = sortInSteps(items, (a, b) => {
      compared++
      return a.key - b.key
    })
    for (let step = steps.next(); step.done !== true; step = steps.next()) {
      most = Math.max(most, compared)
      compared = 0
    }
    expect(most).to.be.within(1, 2_000 * 12)
  })
})
