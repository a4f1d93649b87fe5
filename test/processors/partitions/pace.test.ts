import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pace } from '../../../processors/partitions/pace.ts'

describe('the pace of partitions', () => {
  const little = { samples: 1, records: 1, bytes: 300 }
  const never = new AbortController().signal
  const isDone = async (rest: Promise<void>) => Promise.race([rest.then(() => true), sleep(20, false)])

  it('lets all partitions that took little rest, until somebody asks', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const rests = [pace.rest(little, never), pace.rest({ samples: 0, records: 1, bytes: 50 }, never)]
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

  it('lets nobody rest who may be behind, whose partition is gone, or who is to end', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    await pace.rest({ samples: 0, records: 5_000, bytes: 500_000 }, never)
    // Few records, but a batch that its bytes have cut: more is there.
    await pace.rest({ samples: 0, records: 15, bytes: 7_500_000 }, never)
    const gone = new AbortController()
    const rests = [pace.rest(little, gone.signal), pace.rest(little, never)]
    gone.abort()
    await rests[0]
    pace.end()
    await rests[1]
    await pace.rest(little, never)
  })

  it('rests as long as before after a request', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    expect(pace.lingerMs).to.equal(4)
    for (let i = 0; i < 4; i++) await pace.rest(little, never)
    expect(pace.lingerMs).to.equal(4)
    const startedMs = performance.now()
    const rest = pace.rest(little, never)
    pace.asked()
    expect(pace.lingerMs).to.equal(4)
    await rest
    await pace.rest(little, never)
    await sleep(510)
    await pace.rest(little, never)
    expect(performance.now() - startedMs).to.be.at.least(1_250)
  })

  it('lets those who rested long wait for each other when they write, and nobody else', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    for (let i = 0; i < 4; i++) await pace.rest(little, never)
    expect(pace.lingerMs).to.equal(4)
    const rests = [pace.rest(little, never), pace.rest(little, never)]
    await sleep(600)
    // A rebuild writes while all rest.
    expect(pace.lingerMs).to.equal(4)
    await Promise.all(rests)
    expect(pace.lingerMs).to.equal(100)
    // The first one rests again while the other still writes.
    const next = pace.rest(little, never)
    expect(pace.lingerMs).to.equal(100)
    pace.end()
    await next
  })

  it('rests briefly where much comes, and those who do end together', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const much = { samples: 5_000, records: 10, bytes: 900_000 }
    // Little elsewhere rests long by now, and holds this up no longer.
    for (let i = 0; i < 3; i++) await pace.rest(little, never)
    const isLittleDone = isDone(pace.rest(little, never))
    const ends: number[] = []
    const startedMs = performance.now()
    const busy = [0, 30, 60].map(async waitMs => {
      await sleep(waitMs)
      await pace.rest(much, never, { busyMs: 1_000 })
      ends.push(performance.now())
    })
    await Promise.all(busy)
    expect(await isLittleDone).to.equal(false)
    expect(Math.min(...ends) - startedMs).to.be.at.least(500)
    const [first = 0, ...others] = ends.map(endMs => Math.round((endMs - startedMs) / 1_000))
    for (const other of others) expect(other - first).to.be.at.most(1)
    // Documents that they make now they write together.
    expect(pace.lingerMs).to.equal(100)
    // A request ends it.
    const rest = pace.rest(much, never, { busyMs: 60_000 })
    pace.asked()
    await rest
    expect(pace.lingerMs).to.equal(4)
    pace.end()
  })

  it('lets inserts of raw samples rest ever longer, until somebody asks', async () => {
    const pace = new Pace({ mostMs: 250, mostRawMs: 60_000 })
    const tookMs = async () => {
      const startedMs = performance.now()
      await pace.restOfRaw(30, never)
      return performance.now() - startedMs
    }
    const [first, second, third] = [await tookMs(), await tookMs(), await tookMs()]
    expect(first).to.be.at.least(240)
    expect(second).to.be.at.least(490)
    expect(third).to.be.at.least(990)
    const rest = pace.restOfRaw(30, never)
    pace.asked()
    await rest
    await pace.restOfRaw(30, never)
    pace.end()
  })

  it('lets inserts of raw samples rest briefly while subscribers read them, and not for other screens', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    let isRawWatched = false
    pace.watchedWhile(
      () => true,
      () => isRawWatched,
    )
    for (let i = 0; i < 3; i++) await pace.restOfRaw(30, never)
    const long = pace.restOfRaw(30, never)
    expect(await Promise.race([long.then(() => true), sleep(700, false)])).to.equal(false)
    pace.asked()
    await long
    await sleep(510)
    isRawWatched = true
    const startedMs = performance.now()
    await pace.restOfRaw(30, never)
    expect(performance.now() - startedMs).to.be.within(240, 30_000)
  })

  it('lets nobody rest where somebody asked since the take or insert began, however long that took', async () => {
    const pace = new Pace({ mostMs: 60_000, mostRawMs: 60_000 })
    for (let i = 0; i < 2; i++) await pace.restOfRaw(30, never)
    const beganMs = performance.now()
    pace.asked()
    await sleep(520)
    expect(await isDone(pace.rest(little, never, { beganMs }))).to.equal(true)
    expect(await isDone(pace.restOfRaw(30, never, beganMs))).to.equal(true)
    // From now on, all that is taken or inserted rests.
    expect(await isDone(pace.rest(little, never))).to.equal(false)
    expect(await isDone(pace.restOfRaw(30, never))).to.equal(false)
    pace.end()
  })

  it('does not let those wait for each other whose rest a request has ended', async () => {
    const pace = new Pace({ mostMs: 60_000 })
    const rest = pace.rest({ samples: 5_000, records: 10, bytes: 900_000 }, never, { busyMs: 60_000 })
    pace.asked()
    await rest
    await sleep(510)
    expect(pace.lingerMs).to.equal(4)
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
