import { expect } from 'chai'
import { waitForLiveHours } from '../../../service/monitoring/import-pace.ts'
import { ManualTime } from '../../support/manual-time.ts'

describe('pace of imports', () => {
  /** Lag of the live hours that ends at an instant. */
  const lagUntil = (time: ManualTime, endMs: number) => ({
    last: () => {
      const liveLag = { records: 1, seconds: time.nowMs() < endMs ? 3 : 0.5 }
      return { lag: liveLag, liveLag, backlog: { hours: 0, days: 0 } }
    },
  })

  it('Without a lag of the live hours, there is no wait', async () => {
    const time = new ManualTime()
    expect(await time.tookMs(waitForLiveHours(lagUntil(time, time.nowMs()), () => undefined, time))).to.equal(0)
  })

  it('The wait ends when the live hours have caught up, and flushes meanwhile', async () => {
    const time = new ManualTime()
    let flushes = 0
    const wait = waitForLiveHours(lagUntil(time, time.nowMs() + 1_000), () => flushes++, time)
    expect(await time.tookMs(wait)).to.equal(1_000)
    expect(flushes).to.equal(4)
  })

  it('The wait takes at most 5 s', async () => {
    const time = new ManualTime()
    expect(await time.tookMs(waitForLiveHours(lagUntil(time, Infinity), () => undefined, time))).to.equal(5_000)
  })
})
