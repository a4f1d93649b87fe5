import { expect } from 'chai'
import { createTrack } from '../../../processors/partitions/machine-track.ts'
import { markPassingTime } from '../../../processors/partitions/passing-time.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { inputsOf, startMs } from '../timeline/support.ts'

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
})
