import { expect } from 'chai'
import { Pace } from '../../../processors/partitions/pace.ts'
import { ManualTime } from '../../support/manual-time.ts'

describe('Pace', () => {
  const little = { samples: 1, records: 1, bytes: 300 }
  const never = new AbortController().signal
  let time: ManualTime
  let pace: Pace

  beforeEach(() => {
    time = new ManualTime()
    pace = new Pace({ mostMs: 60_000, time })
  })
  afterEach(() => pace.end())

  /** Whether the wait is over. */
  const isDone = async (rest: Promise<void>): Promise<boolean> => {
    let done = false
    rest.then(() => (done = true)).catch(() => undefined)
    await time.pass(0)
    return done
  }
  const restMs = () => time.tookMs(pace.rest(little, never))
  const restOfRawMs = () => time.tookMs(pace.restOfRaw(30, never))
  /** A wait ends a millisecond late, as timers may fire early. */
  const expectRests = (rests: readonly number[], expected: readonly number[]) =>
    expect(rests).to.deep.equal(expected.map(ms => ms + 1))

  it('At low load, partitions wait until a freshness request ends the flush interval', async () => {
    const rests = [pace.rest(little, never), pace.rest({ samples: 0, records: 1, bytes: 50 }, never)]
    await time.pass(240)
    expect(await Promise.all(rests.map(isDone))).to.deep.equal([false, false])
    pace.asked()
    await Promise.all(rests)
    expect(await restMs()).to.equal(0)
  })

  it('At low load, the flush interval grows to its maximum and ends at the same instant for all partitions', async () => {
    const both = () => Promise.all([pace.rest(little, never), time.pause(60).then(() => pace.rest(little, never))])
    expectRests([await time.tookMs(both()), await time.tookMs(both()), await time.tookMs(both())], [250, 375, 562.5])
    for (let i = 0; i < 20; i++) await restMs()
    expectRests([await restMs()], [60_000])
  })

  it('An idle period of five seconds resets the flush interval', async () => {
    expectRests([await restMs(), await restMs()], [250, 375])
    await time.pass(5_010)
    expectRests([await restMs()], [250])
    expectRests([await restOfRawMs(), await restOfRawMs()], [250, 500])
    await time.pass(5_010)
    expectRests([await restOfRawMs()], [250])
  })

  it('The flush interval also grows when samples arrive every few seconds', async () => {
    const seldom = async (rest: () => Promise<number>) => {
      await time.pass(3_000)
      return rest()
    }
    const rests = [await restMs()]
    for (let i = 0; i < 20; i++) rests.push(await seldom(restMs))
    expectRests([...rests.slice(0, 3), ...rests.slice(-1)], [250, 375, 562.5, 60_000])
    const raw = [await restOfRawMs()]
    for (let i = 0; i < 12; i++) raw.push(await seldom(restOfRawMs))
    expectRests([...raw.slice(0, 3), ...raw.slice(-1)], [250, 500, 1_000, 60_000])
  })

  it('A partition does not wait if it may lag behind, if it is released or when the pace ends', async () => {
    expect(await time.tookMs(pace.rest({ samples: 0, records: 5_000, bytes: 500_000 }, never))).to.equal(0)
    // Few records, but many bytes: the batch was cut, so the log has more records.
    expect(await time.tookMs(pace.rest({ samples: 0, records: 15, bytes: 7_500_000 }, never))).to.equal(0)
    const gone = new AbortController()
    const rests = [pace.rest(little, gone.signal), pace.rest(little, never)]
    gone.abort()
    await rests[0]
    pace.end()
    await rests[1]
    expect(await restMs()).to.equal(0)
  })

  it('After a freshness request, the flush interval has its previous length again', async () => {
    expectRests([await restMs(), await restMs()], [250, 375])
    const rest = pace.rest(little, never)
    pace.asked()
    expect(pace.lingerMs).to.equal(4)
    await rest
    expect(await restMs()).to.equal(0)
    await time.pass(510)
    expectRests([await restMs()], [843.75])
  })

  it('Writes linger for each other only after a long flush interval', async () => {
    for (let i = 0; i < 4; i++) await restMs()
    expect(pace.lingerMs).to.equal(4)
    const rests = [pace.rest(little, never), pace.rest(little, never)]
    await time.pass(600)
    // A rebuild writes while all partitions wait.
    expect(pace.lingerMs).to.equal(4)
    await time.tookMs(Promise.all(rests))
    expect(pace.lingerMs).to.equal(100)
    // The first partition waits again while the second still writes.
    const next = pace.rest(little, never)
    expect(pace.lingerMs).to.equal(100)
    pace.end()
    await next
  })

  it('While all partitions wait long, idle partitions are held until the wait or a freshness request ends it', async () => {
    let held = 0
    const holdOthers = () => {
      held++
      return () => {
        held--
      }
    }
    const rest = () => pace.rest(little, never, { holdOthers })
    // Short waits hold no partition: a sample after an idle period is consumed immediately.
    for (let i = 0; i < 4; i++) {
      const short = rest()
      expect(held).to.equal(0)
      await time.tookMs(short)
    }
    const rests = [rest(), rest()]
    expect(held).to.equal(1)
    await time.pass(1_000)
    expect(held).to.equal(1)
    await time.tookMs(Promise.all(rests))
    expect(held).to.equal(0)
    const asked = rest()
    expect(held).to.equal(1)
    pace.asked()
    await asked
    expect(held).to.equal(0)
    await time.pass(510)
    const gone = new AbortController()
    const ended = pace.rest(little, gone.signal, { holdOthers })
    expect(held).to.equal(1)
    gone.abort()
    await ended
    expect(held).to.equal(0)
  })

  it('At high load, partitions wait about a second and end their flush intervals together', async () => {
    const much = { samples: 5_000, records: 10, bytes: 900_000 }
    // A partition at low load waits long by now and no longer delays the busy ones.
    for (let i = 0; i < 3; i++) await restMs()
    const rested = pace.rest(little, never)
    const endsMs: number[] = []
    const startedMs = time.nowMs()
    const busy = [0, 30, 60].map(async waitMs => {
      await time.pause(waitMs)
      await pace.rest(much, never, { busyMs: 1_000 })
      endsMs.push(time.nowMs())
    })
    const allMs = await time.tookMs(Promise.all(busy))
    expect(allMs).to.be.within(500, 1_502)
    // Intervals that begin before and after the middle of a second end a second apart.
    expect(Math.min(...endsMs) - startedMs).to.be.at.least(500)
    const secondOf = (endMs: number) => Math.floor(endMs / 1_000)
    expect(new Set(endsMs.map(secondOf)).size).to.be.at.most(2)
    expect(endsMs.map(endMs => endMs % 1_000)).to.deep.equal([1, 1, 1])
    // The documents that they compute now are written together.
    expect(pace.lingerMs).to.equal(100)
    // A freshness request ends the wait.
    const rest = pace.rest(much, never, { busyMs: 60_000 })
    pace.asked()
    await Promise.all([rest, rested])
    expect(pace.lingerMs).to.equal(4)
  })

  it('At high load, freshness requests are served together every 200 ms; at low load, immediately', async () => {
    const some = { samples: 2, records: 30, bytes: 6_000 }
    await time.pass(90)
    pace.asked()
    expect(pace.lingerMs).to.equal(4)
    expect(await time.tookMs(pace.rest(some, never))).to.equal(0)
    for (let i = 0; i < 5; i++) await pace.rest(some, never)
    const ends: number[] = []
    const rests = [0, 20, 40].map(async waitMs => {
      await time.pause(waitMs)
      pace.asked()
      await pace.rest(some, never)
      ends.push(time.nowMs())
    })
    await time.tookMs(Promise.all(rests))
    expect(new Set(ends).size).to.equal(1)
    expect((ends[0] ?? 0) % 200).to.equal(1)
    expect(pace.lingerMs).to.equal(25)
    // The load is low again.
    await time.pass(5_000)
    pace.asked()
    expect(await time.tookMs(pace.rest(some, never))).to.equal(0)
  })

  it('Inserts of raw samples wait up to their maximum, until a freshness request', async () => {
    pace = new Pace({ mostMs: 250, mostRawMs: 60_000, time })
    expectRests([await restOfRawMs(), await restOfRawMs(), await restOfRawMs()], [250, 500, 1_000])
    const rest = pace.restOfRaw(30, never)
    pace.asked()
    await rest
    expect(await restOfRawMs()).to.equal(0)
  })

  it('Inserts of raw samples wait 250 ms while subscribers read raw samples, and longer for other screens', async () => {
    let isRawWatched = false
    pace.watchedWhile(
      () => true,
      () => isRawWatched,
    )
    expectRests([await restOfRawMs(), await restOfRawMs(), await restOfRawMs()], [250, 500, 1_000])
    await time.pass(510)
    isRawWatched = true
    expectRests([await restOfRawMs(), await restOfRawMs()], [250, 250])
  })

  it('A freshness request during a batch or an insert ends the wait after it, whatever its duration', async () => {
    for (let i = 0; i < 2; i++) await restOfRawMs()
    const beganMs = time.nowMs()
    pace.asked()
    await time.pass(520)
    expect(await isDone(pace.rest(little, never, { beganMs }))).to.equal(true)
    expect(await isDone(pace.restOfRaw(30, never, beganMs))).to.equal(true)
    // Later batches and inserts wait.
    expect(await isDone(pace.rest(little, never))).to.equal(false)
    expect(await isDone(pace.restOfRaw(30, never))).to.equal(false)
  })

  it('Writes do not linger after a freshness request has ended the flush interval', async () => {
    const rest = pace.rest({ samples: 5_000, records: 10, bytes: 900_000 }, never, { busyMs: 60_000 })
    pace.asked()
    await rest
    await time.pass(510)
    expect(pace.lingerMs).to.equal(4)
  })

  it('The flush interval stays at 250 ms while screens are open', async () => {
    pace.watchedWhile(() => true)
    expectRests([await restMs(), await restMs(), await restMs(), await restMs()], [250, 250, 250, 250])
  })
})
