import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pace } from '../../../processors/partitions/pace.ts'

describe('the pace of partitions', () => {
  const little = { messages: 1, bytes: 300 }
  const never = new AbortController().signal
  const isDone = async (rest: Promise<void>) => Promise.race([rest.then(() => true), sleep(20, false)])

  it('lets all partitions that took little rest, until somebody asks', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const rests = [pace.rest(little, never), pace.rest({ messages: 0, bytes: 0 }, never)]
    expect(await Promise.all(rests.map(isDone))).to.deep.equal([false, false])
    pace.asked()
    await Promise.all(rests)
    await pace.rest(little, never)
  })

  it('rests ever longer while little comes, and up to one instant', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const tookMs = async () => {
      const startedMs = performance.now()
      await Promise.all([pace.rest(little, never), sleep(60).then(() => pace.rest(little, never))])
      return performance.now() - startedMs
    }
    const [first, second, third] = [await tookMs(), await tookMs(), await tookMs()]
    expect(first).to.be.at.least(240)
    expect(second).to.be.at.least(365)
    expect(third).to.be.at.least(550)
  })

  it('lets nobody rest who took much, whose partition is gone, or who is to end', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    await pace.rest({ messages: 1_000, bytes: 100_000 }, never)
    // Few messages, but a batch that its bytes have cut: more is there.
    await pace.rest({ messages: 15, bytes: 7_500_000 }, never)
    const gone = new AbortController()
    const rests = [pace.rest(little, gone.signal), pace.rest(little, never)]
    gone.abort()
    await rests[0]
    pace.end()
    await rests[1]
    await pace.rest(little, never)
  })

  it('rests a moment only while screens are open', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    pace.watchedWhile(() => true)
    for (let i = 0; i < 4; i++) {
      const startedMs = performance.now()
      await pace.rest(little, never)
      expect(performance.now() - startedMs).to.be.within(240, 30_000)
    }
  })
})
