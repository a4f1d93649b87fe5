import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pace } from '../../../processors/partitions/pace.ts'

describe('the pace of partitions', () => {
  const never = new AbortController().signal
  const isDone = async (rest: Promise<void>) => Promise.race([rest.then(() => true), sleep(20, false)])

  it('lets all partitions that took little rest, until somebody asks', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const rests = [pace.rest(1, never), pace.rest(0, never)]
    expect(await Promise.all(rests.map(isDone))).to.deep.equal([false, false])
    pace.asked()
    await Promise.all(rests)
    await pace.rest(1, never)
  })

  it('rests ever longer while little comes, and up to one instant', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const tookMs = async () => {
      const startedMs = performance.now()
      await Promise.all([pace.rest(1, never), sleep(60).then(() => pace.rest(1, never))])
      return performance.now() - startedMs
    }
    const [first, second, third] = [await tookMs(), await tookMs(), await tookMs()]
    expect(first).to.be.at.least(240)
    expect(second).to.be.at.least(365)
    expect(third).to.be.at.least(550)
  })

  it('lets nobody rest who took much, whose partition is gone, or who is to end', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    await pace.rest(1_000, never)
    const gone = new AbortController()
    const rests = [pace.rest(1, gone.signal), pace.rest(1, never)]
    gone.abort()
    await rests[0]
    pace.end()
    await rests[1]
    await pace.rest(1, never)
  })

  it('rests a moment only while screens are open', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    pace.watchedWhile(() => true)
    for (let i = 0; i < 4; i++) {
      const startedMs = performance.now()
      await pace.rest(1, never)
      expect(performance.now() - startedMs).to.be.within(240, 30_000)
    }
  })
})
