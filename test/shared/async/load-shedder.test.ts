import { expect } from 'chai'
import { LoadShedder } from '../../../shared/async/load-shedder.ts'

describe('LoadShedder', () => {
  const options = { always: 4, burstMs: 5_000, standingMs: 500 }

  /**
   * Simulates arrivals and completions at fixed rates; resolves to the longest wait of the work that was accepted since
   * `fromMs`.
   */
  function run(comePerSecond: number, donePerSecond: number, forMs: number, fromMs = 0) {
    const shedder = new LoadShedder(options)
    const acceptedAtMs: number[] = []
    const outcome = { taken: 0, refused: 0, longestMs: 0 }
    let [come, done] = [0, 0]
    for (let nowMs = 1; nowMs <= forMs; nowMs++) {
      for (come += comePerSecond / 1000; come >= 1; come--) {
        if (shedder.accepts(nowMs)) {
          shedder.add(1, nowMs)
          acceptedAtMs.push(nowMs)
          outcome.taken++
        } else outcome.refused++
      }
      done = acceptedAtMs.length === 0 ? 0 : done + donePerSecond / 1000
      for (; done >= 1 && acceptedAtMs.length > 0; done--) {
        const atMs = acceptedAtMs.shift() ?? nowMs
        if (atMs >= fromMs) outcome.longestMs = Math.max(outcome.longestMs, nowMs - atMs)
        shedder.end(1, nowMs)
      }
    }
    return outcome
  }

  it('The load shedder accepts all work if it is completed faster than it arrives', () => {
    expect(run(50, 60, 30_000)).to.include({ refused: 0 })
  })

  it('The load shedder accepts a burst that can be completed within seconds', () => {
    const shedder = withItemsInProgress(options.always)
    for (let done = 1; done <= 100; done++) {
      shedder.end(1, done * 10)
      shedder.add(1, done * 10)
    }
    // 100 items per second can be completed.
    for (let more = 0; more < 400; more++) {
      expect(shedder.accepts(1_000), `item ${more}`).to.equal(true)
      shedder.add(1, 1_000)
    }
  })

  it('The load shedder accepts concurrent work after a few slow items that ran one after the other', () => {
    const shedder = new LoadShedder(options)
    for (let each = 0; each < 3; each++) {
      shedder.add(1, each * 1_000)
      shedder.end(1, (each + 1) * 1_000)
    }
    for (let each = 0; each < 20; each++) {
      expect(shedder.accepts(3_000), `item ${each}`).to.equal(true)
      shedder.add(1, 3_000)
    }
  })

  it('At three times the capacity, the load shedder accepts about as much work as the capacity, which waits less than 1 s', () => {
    const settledMs = 20_000
    const outcome = run(300, 100, 60_000, settledMs)
    expect(outcome.taken).to.be.within(5_900, 6_700)
    expect(outcome.refused).to.be.above(11_000)
    expect(outcome.longestMs).to.be.below(1_000)
  })

  it('The load shedder accepts a minimum of work, however slow it is', () => {
    const shedder = withItemsInProgress(options.always)
    shedder.end(1, 10_000)
    expect(shedder.accepts(10_000)).to.equal(true)
    shedder.add(1, 10_000)
    expect(shedder.accepts(10_000)).to.equal(false)
  })

  it('The load shedder forgets slow items after an idle period', () => {
    const shedder = withItemsInProgress(options.always)
    for (let each = 0; each < options.always; each++) shedder.end(1, 10_000)
    for (let each = 0; each < 20; each++) {
      expect(shedder.accepts(60_000), `item ${each}`).to.equal(true)
      shedder.add(1, 60_000)
    }
  })

  it('The load shedder accepts all work again once its queue was empty', () => {
    const shedder = withItemsInProgress(20)
    shedder.end(1, 10_000)
    expect(shedder.accepts(10_000)).to.equal(false)
    for (let each = 0; each < 19; each++) shedder.end(1, 10_100)
    expect(shedder.accepts(10_101)).to.equal(true)
  })

  /** Creates a shedder with the given number of items in progress since 0. */
  function withItemsInProgress(inProgress: number): LoadShedder {
    const shedder = new LoadShedder(options)
    for (let each = 0; each < inProgress; each++) shedder.add(1, 0)
    return shedder
  }
})
