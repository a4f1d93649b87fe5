import { expect } from 'chai'
import { type FlushInputs, planFlush } from '../../../processors/partitions/flush-policy.ts'

const little: FlushInputs = {
  size: { records: 1, bytes: 300 },
  tookMs: 30,
  unreadMs: 60_000,
  hasSubscribers: false,
  maxIntervalMs: 10_000,
}

describe('planFlush', () => {
  const cases: readonly (readonly [
    title: string,
    inputs: Partial<FlushInputs>,
    intervalMs: number,
    minIntervalMs: number,
  ])[] = [
    ['The interval without reads is the longest interval', {}, 10_000, 30],
    ['The interval equals the time since the last read', { unreadMs: 2_000 }, 2_000, 30],
    ['A read just before a batch makes the interval about as long as the batch', { unreadMs: 31 }, 31, 30],
    ['A read during a batch makes the interval as long as the batch', { unreadMs: 10 }, 30, 30],
    ['Batches with subscribers begin at most a quarter of a second apart', { hasSubscribers: true }, 220, 30],
    ['A recent read makes the interval with subscribers shorter', { hasSubscribers: true, unreadMs: 100 }, 70, 30],
    ['Slow batches with subscribers take half of the time', { hasSubscribers: true, tookMs: 200 }, 200, 200],
    ['Reads shorten no interval below the duration of the batch', { tookMs: 200, unreadMs: 0 }, 200, 200],
    ['Reads shorten each interval to a quarter of a second', { tookMs: 5_000, unreadMs: 0 }, 250, 250],
    [
      'The time since a read during a slow batch does not lengthen the interval',
      { tookMs: 5_000, unreadMs: 3_000 },
      250,
      250,
    ],
    ['No part of the interval exceeds the longest interval', { tookMs: 100, maxIntervalMs: 0 }, 0, 0],
    ['There is no interval after a batch of 1,000 records', { size: { records: 1_000, bytes: 300_000 } }, 0, 0],
    ['There is no interval after a batch of more than a megabyte', { size: { records: 15, bytes: 7_500_000 } }, 0, 0],
  ]
  for (const [title, inputs, intervalMs, minIntervalMs] of cases)
    it(title, () => {
      expect(planFlush({ ...little, ...inputs })).to.deep.include({ intervalMs, minIntervalMs })
    })

  it('Inserts linger for a hundredth of the interval', () => {
    expect(planFlush(little).lingerMs).to.equal(100)
    expect(planFlush({ ...little, hasSubscribers: true }).lingerMs).to.equal(2.2)
  })

  it('Idle partitions are held only in intervals without reads and subscribers', () => {
    expect(planFlush(little).holdsIdle).to.equal(true)
    expect(planFlush({ ...little, hasSubscribers: true }).holdsIdle).to.equal(false)
    expect(planFlush({ ...little, unreadMs: 100 }).holdsIdle).to.equal(false)
  })
})
