import { expect } from 'chai'
import { attemptsByAge, maxAttempts, retryDelayMs } from '../../../respond/deliveries/retry-schedule.ts'

const secondsOf = (attempts: number, retryAfterMs: number | null = null) => {
  const delayMs = retryDelayMs(attempts, retryAfterMs)
  return delayMs === null ? null : delayMs / 1_000
}

describe('retry schedule', () => {
  it('A message is repeated eight times within 18 hours, then abandoned', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(attempts => secondsOf(attempts))
    expect(delays).to.deep.equal([5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, null])
    expect(maxAttempts).to.equal(9)
  })

  it('A requested delay is respected up to 10 hours', () => {
    expect(secondsOf(1, 60_000)).to.equal(60)
    expect(secondsOf(4, 1_000)).to.equal(600)
    expect(secondsOf(1, 1e12)).to.equal(36_000)
    expect(secondsOf(9, 60_000)).to.equal(null)
  })

  it('The age of a delivery determines the attempts that it has had', () => {
    const ages = [0, 4_999, 5_000, 34_999, 35_000, 155_000, 63_754_999, 63_755_000, 1e12]
    expect(ages.map(attemptsByAge)).to.deep.equal([0, 0, 1, 1, 2, 3, 7, 8, 8])
  })
})
