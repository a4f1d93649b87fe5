import { expect } from 'chai'
import * as fc from 'fast-check'
import { hourMs } from '../../../shared/time/units.ts'
import { HourRanges } from '../../../shared/time/hour-ranges.ts'

const step = fc.record({
  add: fc.boolean(),
  isMany: fc.boolean(),
  from: fc.integer({ min: 0, max: 30 }),
  hours: fc.integer({ min: 0, max: 20 }),
})

describe('HourRanges', () => {
  it('Hour ranges contain the same hours as a plain set', () => {
    fc.assert(
      fc.property(fc.array(step), steps => {
        const ranges = new HourRanges()
        const plain = new Set<number>()
        for (const { add, isMany, from, hours } of steps) {
          if (add && isMany) ranges.addHours(Array.from({ length: hours }, (_, i) => (from + hours - 1 - i) * hourMs))
          else if (add) ranges.add(from * hourMs, (from + hours) * hourMs)
          else ranges.remove(from * hourMs, (from + hours) * hourMs)
          for (let hour = from; hour < from + hours; hour++) {
            if (add) plain.add(hour)
            else plain.delete(hour)
          }
        }
        expect(ranges.hours).to.equal(plain.size)
        expect(ranges.first).to.equal(plain.size === 0 ? undefined : Math.min(...plain) * hourMs)
        expect(ranges.last).to.equal(plain.size === 0 ? undefined : Math.max(...plain) * hourMs)
        for (let hour = 0; hour < 60; hour++) expect(ranges.has(hour * hourMs)).to.equal(plain.has(hour))
      }),
    )
  })

  it('A range of ten years is added and queried like one of an hour', () => {
    const ranges = new HourRanges()
    ranges.add(0, 10 * 365 * 24 * hourMs)
    expect(ranges.hours).to.equal(87_600)
    expect(ranges.overlaps(5 * hourMs, 6 * hourMs)).to.equal(true)
  })
  it('20,000 separate hours are added in batches and removed in order', function () {
    const ranges = new HourRanges()
    const hours = Array.from({ length: 20_000 }, (_, i) => ((i * 7919) % 20_000) * 2 * hourMs)
    for (let from = 0; from < hours.length; from += 1000) ranges.addHours(hours.slice(from, from + 1000))
    expect(ranges.hours).to.equal(20_000)
    for (let hour = 0; hour < 2 * 20_000; hour++) ranges.remove(hour * hourMs)
    expect(ranges.hours).to.equal(0)
  })
})
