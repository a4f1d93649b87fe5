import { expect } from 'chai'
import { hourMs } from '../../../shared/time/units.ts'
import type { ActivityMinute } from '../../../schema/sample.ts'
import {
  compute,
  computeOne,
  execution,
  inputsOf,
  minute,
  parts,
  partsOf,
  sample,
  startMs,
  statusesOf,
  throughText,
} from './support.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const stale = inputsOf({ staleAfterMs: 2 * minute })
const seenAt = (firstMs: number, lastMs = firstMs): ActivityMinute => ({
  machineRef: asMachineRef(1),
  firstMs: startMs + firstMs,
  lastMs: startMs + lastMs,
})

describe('staleness', () => {
  it('A machine is UNAVAILABLE from staleAfterMs after its last sample to its next sample, then has its last values again', () => {
    const document = computeOne(stale, [execution(0, 'ACTIVE'), parts(10 * minute, 1), execution(11 * minute, 'READY')])
    expect(statusesOf(document)).to.deep.equal([
      [0, 2 * minute, 'ACTIVE'],
      [2 * minute, 10 * minute, 'UNAVAILABLE'],
      [10 * minute, 11 * minute, 'ACTIVE'],
      [11 * minute, 13 * minute, 'INACTIVE'],
      [13 * minute, hourMs, 'UNAVAILABLE'],
    ])
  })

  it('If the sample that ends staleness is EXECUTION, its value applies immediately', () => {
    const document = computeOne(stale, [execution(0, 'ACTIVE'), execution(10 * minute, 'READY')])
    expect(statusesOf(document)[2]).to.deep.equal([10 * minute, 12 * minute, 'INACTIVE'])
  })

  it('A stale machine is neither in cycle nor rotating nor cutting', () => {
    const document = computeOne(stale, [
      execution(0, 'ACTIVE'),
      sample(0, 'SPINDLE_SPEED', '100'),
      sample(0, 'CUTTING', 'true'),
    ])
    const [fact] = document.facts
    expect([fact?.inCycleMs, fact?.spindleMs, fact?.cutMs]).to.deep.equal([2 * minute, 2 * minute, 2 * minute])
  })

  it('A sample of any key prevents staleness', () => {
    const seen = [seenAt(0), seenAt(minute + 59_999, minute + 59_999), seenAt(3 * minute + 59_999)]
    const document = computeOne(stale, [execution(0, 'ACTIVE')], seen)
    expect(statusesOf(document)).to.deep.equal([
      [0, 5 * minute + 59_999, 'ACTIVE'],
      [5 * minute + 59_999, hourMs, 'UNAVAILABLE'],
    ])
  })

  it('Staleness lies between the last sample of one activity minute and the first sample of the next', () => {
    const seen = [seenAt(0, 30_000), seenAt(4 * minute + 20_000, 4 * minute + 40_000)]
    const document = computeOne(stale, [execution(0, 'ACTIVE')], seen)
    expect(statusesOf(document).slice(0, 3)).to.deep.equal([
      [0, 2 * minute + 30_000, 'ACTIVE'],
      [2 * minute + 30_000, 4 * minute + 20_000, 'UNAVAILABLE'],
      [4 * minute + 20_000, 6 * minute + 40_000, 'ACTIVE'],
    ])
  })

  it('A sample exactly at the staleness limit prevents staleness', () => {
    const document = computeOne(stale, [execution(0, 'ACTIVE'), parts(2 * minute, 1), parts(4 * minute, 2)])
    expect(statusesOf(document)[0]).to.deep.equal([0, 6 * minute, 'ACTIVE'])
  })

  it('The first sample of the next hour, exactly at the staleness limit, prevents staleness', () => {
    const seen = [seenAt(hourMs - 2 * minute), seenAt(hourMs)]
    const documents = compute(stale, [execution(hourMs - 2 * minute, 'ACTIVE')], { hours: 2, seen })
    expect(documents.map(document => statusesOf(document).at(-2) ?? statusesOf(document)[0])).to.deep.equal([
      [0, hourMs - 2 * minute, 'UNAVAILABLE'],
      [0, 2 * minute, 'ACTIVE'],
    ])
  })

  it('Staleness can begin and end in later hours than the last sample', () => {
    const samples = [execution(hourMs - minute, 'ACTIVE'), parts(2 * hourMs + minute, 1)]
    const documents = compute(stale, samples, { hours: 3, carry: throughText })
    expect(documents.slice(1).map(statusesOf)).to.deep.equal([
      [[0, minute, 'ACTIVE'], [minute, hourMs, 'UNAVAILABLE']], // prettier-ignore
      [[0, minute, 'UNAVAILABLE'], [minute, 3 * minute, 'ACTIVE'], [3 * minute, hourMs, 'UNAVAILABLE']], // prettier-ignore
    ])
  })

  it('Staleness can begin exactly at the start of an hour', () => {
    const documents = compute(stale, [execution(hourMs - 2 * minute, 'ACTIVE')], { hours: 2 })
    expect(documents.map(statusesOf)).to.deep.equal([
      [[0, hourMs - 2 * minute, 'UNAVAILABLE'], [hourMs - 2 * minute, hourMs, 'ACTIVE']], // prettier-ignore
      [[0, hourMs, 'UNAVAILABLE']],
    ])
  })

  it('Staleness does not change part counters', () => {
    expect(partsOf(computeOne(stale, [parts(0, 5), parts(30 * minute, 9)]))).to.deep.equal([[30 * minute, 4]])
  })

  it('Staleness is off by default', () => {
    expect(statusesOf(computeOne(inputsOf(), [execution(0, 'ACTIVE')], [seenAt(0)]))).to.deep.equal([
      [0, hourMs, 'ACTIVE'],
    ])
  })
})
