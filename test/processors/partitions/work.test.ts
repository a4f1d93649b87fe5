import { expect } from 'chai'
import {
  createTrack,
  evenSliceHours,
  sliceHours,
  type MachineTrack,
} from '../../../processors/partitions/machine-track.ts'
import { Rebuilds } from '../../../processors/partitions/rebuilds.ts'
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

  it('is one machine alone where it has a long way to go and sent nothing, in long slices once they hold the same', () => {
    expect(picked(tracks(20, 100_000, { isQuiet: true }))).to.deep.equal({ machines: 1, hours: sliceHours })
    const even = { isQuiet: true, sliceHours: evenSliceHours }
    expect(picked(tracks(20, 100_000, even))).to.deep.equal({ machines: 1, hours: evenSliceHours })
  })

  it('is shared again at the end of such a way, and among machines at rest', () => {
    const even = { isQuiet: true, sliceHours: evenSliceHours }
    expect(picked(tracks(20, 50, even))).to.deep.equal({ machines: 20, hours: 50 })
  })

  it('of a rebuild is one machine alone in the same way', () => {
    const slice = (given: Partial<MachineTrack>) => {
      const rebuilds = new Rebuilds()
      const of = tracks(20, 0, { lastSlotMs: fromMs + 100_000 * hourMs, ...given })
      rebuilds.start('again', of)
      const work = rebuilds.pick()
      return { machines: work?.tracks.length, hours: work && (work.toMs - work.fromMs) / hourMs }
    }
    expect(slice({})).to.deep.equal({ machines: 20, hours: sliceHours / 20 })
    expect(slice({ isQuiet: true, sliceHours: evenSliceHours })).to.deep.equal({ machines: 1, hours: evenSliceHours })
  })

  it('is nothing where no hour is dirty', () => {
    expect(pickWork([createTrack(asMachineRef(1), asCompanyRef(1), inputsOf({}), fromMs)], fromMs, 0)).to.equal(null)
  })
})
