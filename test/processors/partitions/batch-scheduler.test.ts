import { expect } from 'chai'
import { BatchScheduler } from '../../../processors/partitions/batch-scheduler.ts'
import { ManualTime } from '../../support/manual-time.ts'

describe('BatchScheduler', () => {
  const size = { records: 1, bytes: 300 }
  const never = new AbortController().signal
  let time: ManualTime
  let scheduler: BatchScheduler
  let held = 0

  beforeEach(async () => {
    time = new ManualTime()
    held = 0
    scheduler = new BatchScheduler({ maxFlushIntervalMs: 10_000, maxInsertIntervalMs: 30_000, time })
    // The creation of a scheduler counts as a read.
    await time.pass(60_000)
  })
  afterEach(() => scheduler.stop())

  const holdIdle = () => {
    held++
    return () => {
      held--
    }
  }
  /** Runs a batch that takes 20 ms, and the wait after it. */
  const batch = () => scheduler.runBatch(() => time.pause(20).then(() => size), holdIdle)
  const isDone = async (work: Promise<void>): Promise<boolean> => {
    let done = false
    work.then(() => (done = true)).catch(() => undefined)
    await time.pass(0)
    return done
  }

  it('All partitions wait until the same instant', async () => {
    const ends: number[] = []
    const startedMs = time.nowMs()
    const batches = [0, 5_000, 9_000].map(async waitMs => {
      await time.pause(waitMs)
      await batch()
      ends.push(time.nowMs() - startedMs)
    })
    await time.tookMs(Promise.all(batches))
    expect(ends).to.deep.equal([10_020, 10_020, 10_020])
  })

  it('A batch after an idle period is processed immediately', async () => {
    await time.tookMs(batch())
    await time.pass(60_000)
    let isProcessed = false
    const next = scheduler.runBatch(async () => {
      isProcessed = true
      return size
    }, holdIdle)
    expect(isProcessed).to.equal(true)
    scheduler.stop()
    await next
  })

  it('A read ends all intervals and shortens the next ones', async () => {
    const waits = [batch(), batch(), scheduler.waitForNextInsert(time.nowMs(), never)]
    await time.pass(1_000)
    expect(await Promise.all(waits.map(isDone))).to.deep.equal([false, false, false])
    scheduler.requestFlush()
    expect(await Promise.all(waits.map(isDone))).to.deep.equal([true, true, true])
    expect(await time.tookMs(batch())).to.equal(40)
    await time.pass(960)
    expect(await time.tookMs(batch())).to.equal(20 + 1_020)
  })

  it('A batch is followed by a wait of its own duration despite repeated reads', async () => {
    const startedMs = time.nowMs()
    const work = scheduler.runBatch(() => time.pause(100).then(() => size), holdIdle)
    const read = () => scheduler.requestFlush()
    for (let i = 0; i < 19; i++) {
      await time.pass(10)
      read()
    }
    expect(await isDone(work)).to.equal(false)
    await time.tookMs(work)
    expect(time.nowMs() - startedMs).to.equal(200)
  })

  it('Subscribers are counted before each interval', async () => {
    let isWatched = true
    scheduler.follow({ documents: () => isWatched, rawSamples: () => false })
    expect(await time.tookMs(batch())).to.equal(250)
    expect(await time.tookMs(scheduler.waitForNextInsert(time.nowMs(), never))).to.equal(30_000)
    isWatched = false
    expect(await time.tookMs(batch())).to.equal(20 + 10_000)
    scheduler.follow({ documents: () => false, rawSamples: () => true })
    expect(await time.tookMs(scheduler.waitForNextInsert(time.nowMs(), never))).to.equal(250)
  })

  it('Idle partitions are held during a long interval, until its end or a read', async () => {
    const first = batch()
    await time.pass(20)
    expect(held).to.equal(1)
    await time.tookMs(first)
    expect(held).to.equal(0)
    const second = batch()
    await time.pass(20)
    expect(held).to.equal(1)
    scheduler.requestFlush()
    await time.tookMs(second)
    expect(held).to.equal(0)
    await time.tookMs(batch())
    expect(held, 'the interval after a read is short').to.equal(0)
  })

  it('An insert lingers only while another batch is in progress', async () => {
    await time.tookMs(batch())
    expect(scheduler.lingerMs).to.equal(0)
    const one = batch()
    expect(scheduler.lingerMs, 'linger time of an insert outside of a batch').to.equal(0)
    const two = batch()
    expect(scheduler.lingerMs).to.equal(100)
    await time.tookMs(Promise.all([one, two]))
    expect(scheduler.lingerMs).to.equal(0)
  })

  it('There is no interval after a batch that failed', async () => {
    const work = scheduler.runBatch(() => Promise.reject(new Error('The store is unavailable')), holdIdle)
    expect(await work.catch((error: unknown) => String(error))).to.equal('Error: The store is unavailable')
    expect(scheduler.lingerMs).to.equal(0)
  })

  it('The wait for an insert ends when its signal aborts', async () => {
    const ended = new AbortController()
    const wait = scheduler.waitForNextInsert(time.nowMs(), ended.signal)
    expect(await isDone(wait)).to.equal(false)
    ended.abort()
    expect(await isDone(wait)).to.equal(true)
  })

  it('Stopping the scheduler ends the interval and prevents further ones', async () => {
    const work = batch()
    await time.pass(30)
    scheduler.stop()
    expect(await isDone(work)).to.equal(true)
    expect(await time.tookMs(batch())).to.equal(20)
  })
})
