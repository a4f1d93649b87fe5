import { expect } from 'chai'
import {
  createTrack,
  evenSliceHours,
  sliceHours,
  type MachineTrack,
} from '../../../processors/partitions/machine-track.ts'
import { pickWork } from '../../../processors/partitions/work.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { inputsOf } from '../timeline/support.ts'

const fromMs = Date.UTC(2010, 0, 1)

/** Machines whose hours from `fromMs` on are dirty. */
function tracks(count: number, hours: number, given: Partial<MachineTrack> = {}): readonly MachineTrack[] {
  return Array.from({ length: count }, (_, i) => {
    const track = createTrack(asMachineRef(i + 1), asCompanyRef(1), inputsOf({}), fromMs)
    track.dirty.add(fromMs, fromMs + hours * hourMs)
    return Object.assign(track, given)
  })
}

describe('the next slice of work', () => {
  const picked = (of: readonly MachineTrack[]) => {
    const work = pickWork(of, fromMs + 200_000 * hourMs, 0)
    return { machines: work?.tracks.length, hours: work && (work.toMs - work.fromMs) / hourMs }
  }

  it('is shared by machines whose hours begin together', () => {
    expect(picked(tracks(20, 5_000))).to.deep.equal({ machines: 20, hours: sliceHours / 20 })
  })

  it('is one machine alone, in long slices, where years without samples are before it', () => {
    const quiet = { sliceHours: evenSliceHours }
    expect(picked(tracks(20, 100_000, quiet))).to.deep.equal({ machines: 1, hours: evenSliceHours })
    expect(picked(tracks(1, 100_000, quiet))).to.deep.equal({ machines: 1, hours: evenSliceHours })
  })

  it('is shared again at the end of such a way, and among machines at rest', () => {
    const quiet = { sliceHours: evenSliceHours }
    expect(picked(tracks(20, 50, quiet))).to.deep.equal({ machines: 20, hours: 50 })
  })

  it('is nothing where no hour is dirty', () => {
    expect(pickWork([createTrack(asMachineRef(1), asCompanyRef(1), inputsOf({}), fromMs)], fromMs, 0)).to.equal(null)
  })
})
