import { expect } from 'chai'
import * as fc from 'fast-check'
import { hourMs } from '../../../shared/time/units.ts'
import { HourRanges } from '../../../shared/time/hour-ranges.ts'

const step = fc.record({
  add: fc.boolean(),
  from: fc.integer({ min: 0, max: 30 }),
  hours: fc.integer({ min: 0, max: 8 }),
})

describe('hour ranges', () => {
  it('hold what a plain set of hours holds', () => {
    fc.assert(
      fc.property(fc.array(step), steps => {
        const ranges = new HourRanges()
        const plain = new Set<number>()
        for (const { add, from, hours } of steps) {
          if (add) ranges.add(from * hourMs, (from + hours) * hourMs)
          else ranges.remove(from * hourMs, (from + hours) * hourMs)
          for (let hour = from; hour < from + hours; hour++) {
            if (add) plain.add(hour)
            else plain.delete(hour)
          }
        }
        expect(ranges.hours).to.equal(plain.size)
        expect(ranges.first).to.equal(plain.size === 0 ? undefined : Math.min(...plain) * hourMs)
        expect(ranges.last).to.equal(plain.size === 0 ? undefined : Math.max(...plain) * hourMs)
        for (let hour = 0; hour < 40; hour++) expect(ranges.has(hour * hourMs)).to.equal(plain.has(hour))
      }),
    )
  })

  it('cost nothing for their length', () => {
    const ranges = new HourRanges()
    ranges.add(0, 10 * 365 * 24 * hourMs)
    expect(ranges.hours).to.equal(87_600)
    expect(ranges.overlaps(5 * hourMs, 6 * hourMs)).to.equal(true)
  })
})
