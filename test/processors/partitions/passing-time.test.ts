import { expect } from 'chai'
import { createTrack, type MachineTrack } from '../../../processors/partitions/machine-track.ts'
import { markPassingTime } from '../../../processors/partitions/passing-time.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { inputsOf, minute, second, startMs } from '../timeline/support.ts'

describe('passing time', () => {
  it('The next hour of 1,000 machines is marked dirty in 20 groups within the last ten minutes of an hour', () => {
    const machines = 1_000
    const tracks = Array.from({ length: machines }, (_, i) => {
      const track = createTrack(asMachineRef(i + 1), asCompanyRef(1), inputsOf(), startMs)
      track.lastSlotMs = startMs
      return track
    })
    const marked: number[] = []
    for (let nowMs = startMs; nowMs < startMs + hourMs; nowMs += 1_000) {
      const before = tracks.filter(({ dirty }) => dirty.has(startMs + hourMs)).length
      for (const track of tracks) markPassingTime(track, nowMs)
      const now = tracks.filter(({ dirty }) => dirty.has(startMs + hourMs)).length - before
      if (now > 0) marked.push(now)
      if (nowMs < startMs + hourMs - 600_000) expect(now).to.equal(0)
    }
    expect(marked).to.deep.equal(Array.from({ length: 20 }, () => machines / 20))
  })

  /** Hours from the machine's first hour on that are marked dirty at an instant; the last written hour is the first one. */
  const markedHours = (nowMs: number, staleAfterMs: number | null, given: Partial<MachineTrack>) => {
    const track = createTrack(asMachineRef(1), asCompanyRef(1), inputsOf({ staleAfterMs }), startMs)
    markPassingTime(Object.assign(track, { lastSlotMs: startMs, writtenSeenMs: startMs }, given), nowMs)
    return [0, 1, 2].filter(hour => track.dirty.has(startMs + hour * hourMs))
  }

  it('The last seen hour is marked dirty 40 s before its document would show a machine with newer samples as stale', () => {
    const lastSeenMs = startMs + minute
    const dueMs = startMs + 5 * minute - 40 * second
    expect(markedHours(dueMs, 5 * minute, { lastSeenMs })).to.deep.equal([])
    expect(markedHours(dueMs + 1, 5 * minute, { lastSeenMs })).to.deep.equal([0])
    expect(markedHours(dueMs + 1, 5 * minute, { lastSeenMs: startMs })).to.deep.equal([])
    expect(markedHours(dueMs + 1, null, { lastSeenMs })).to.deep.equal([])
    const ahead = { lastSeenMs, lastSlotMs: startMs + hourMs }
    expect(markedHours(dueMs + 1, 5 * minute, ahead), 'a later hour is written').to.deep.equal([0])
    const unwritten = { lastSeenMs: startMs + hourMs }
    expect(markedHours(startMs + hourMs, 5 * minute, unwritten), 'a later hour is seen').to.deep.equal([0, 1])
  })

  it('With a new hour, the last seen hour of a machine that may become stale is marked dirty if samples are newer', () => {
    const nowMs = startMs + hourMs
    const staleAfterMs = 2 * hourMs
    expect(markedHours(nowMs, staleAfterMs, { lastSeenMs: startMs + minute })).to.deep.equal([0, 1])
    expect(markedHours(nowMs, staleAfterMs, { lastSeenMs: startMs })).to.deep.equal([1])
    expect(markedHours(nowMs, null, { lastSeenMs: startMs + minute })).to.deep.equal([1])
    expect(markedHours(startMs, staleAfterMs, { lastSeenMs: startMs + minute }), 'the same hour').to.deep.equal([])
  })
})
