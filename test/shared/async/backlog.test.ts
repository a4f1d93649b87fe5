import { expect } from 'chai'
import { Backlog } from '../../../shared/async/backlog.ts'

describe('a backlog of work', () => {
  const options = { always: 4, burstMs: 5_000, standingMs: 500 }

  /** Work comes at one rate and is done at another, in turn, for so long; resolves to the longest wait of what was taken from an instant on. */
  function run(comePerSecond: number, donePerSecond: number, forMs: number, fromMs = 0) {
    const backlog = new Backlog(options)
    const takenAtMs: number[] = []
    const outcome = { taken: 0, refused: 0, longestMs: 0 }
    let [come, done] = [0, 0]
    for (let nowMs = 1; nowMs <= forMs; nowMs++) {
      for (come += comePerSecond / 1000; come >= 1; come--) {
        if (backlog.takes(nowMs)) {
          backlog.add(1, nowMs)
          takenAtMs.push(nowMs)
          outcome.taken++
        } else outcome.refused++
      }
      done = takenAtMs.length === 0 ? 0 : done + donePerSecond / 1000
      for (; done >= 1 && takenAtMs.length > 0; done--) {
        const atMs = takenAtMs.shift() ?? nowMs
        if (atMs >= fromMs) outcome.longestMs = Math.max(outcome.longestMs, nowMs - atMs)
        backlog.end(1, nowMs)
      }
    }
    return outcome
  }

  it('takes all that can be done', () => {
    expect(run(50, 60, 30_000)).to.include({ refused: 0 })
  })

  it('takes a burst whole, of what can be done in seconds', () => {
    const backlog = underWay(options.always)
    for (let done = 1; done <= 100; done++) {
      backlog.end(1, done * 10)
      backlog.add(1, done * 10)
    }
    // 100 a second can be done.
    for (let more = 0; more < 400; more++) {
      expect(backlog.takes(1_000), `piece ${more}`).to.equal(true)
      backlog.add(1, 1_000)
    }
  })

  it('takes many at once where a few took long one after the other', () => {
    const backlog = new Backlog(options)
    for (let each = 0; each < 3; each++) {
      backlog.add(1, each * 1_000)
      backlog.end(1, (each + 1) * 1_000)
    }
    for (let each = 0; each < 20; each++) {
      expect(backlog.takes(3_000), `piece ${each}`).to.equal(true)
      backlog.add(1, 3_000)
    }
  })

  it('of three times what can be done takes as much as can be done, which waits no longer for it', () => {
    const settledMs = 20_000
    const outcome = run(300, 100, 60_000, settledMs)
    expect(outcome.taken).to.be.within(5_900, 6_700)
    expect(outcome.refused).to.be.above(11_000)
    expect(outcome.longestMs).to.be.below(1_000)
  })

  it('takes a few pieces however slow they are', () => {
    const backlog = underWay(options.always)
    backlog.end(1, 10_000)
    expect(backlog.takes(10_000)).to.equal(true)
    backlog.add(1, 10_000)
    expect(backlog.takes(10_000)).to.equal(false)
  })

  it('forgets slow pieces after a rest', () => {
    const backlog = underWay(options.always)
    for (let each = 0; each < options.always; each++) backlog.end(1, 10_000)
    for (let each = 0; each < 20; each++) {
      expect(backlog.takes(60_000), `piece ${each}`).to.equal(true)
      backlog.add(1, 60_000)
    }
  })

  it('takes all again once it was empty', () => {
    const backlog = underWay(20)
    backlog.end(1, 10_000)
    expect(backlog.takes(10_000)).to.equal(false)
    for (let each = 0; each < 19; each++) backlog.end(1, 10_100)
    expect(backlog.takes(10_101)).to.equal(true)
  })

  /** A backlog with so many pieces since 0. */
  function underWay(pieces: number): Backlog {
    const backlog = new Backlog(options)
    for (let each = 0; each < pieces; each++) backlog.add(1, 0)
    return backlog
  }
})
