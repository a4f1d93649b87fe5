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

/** Creates machines whose hours from `fromMs` on are dirty. */
function tracks(count: number, hours: number, given: Partial<MachineTrack> = {}): readonly MachineTrack[] {
  return Array.from({ length: count }, (_, i) => {
    const track = createTrack(asMachineRef(i + 1), asCompanyRef(1), inputsOf({}), fromMs)
    track.dirty.add(fromMs, fromMs + hours * hourMs)
    return Object.assign(track, given)
  })
}

describe('pickWork', () => {
  const picked = (of: readonly MachineTrack[]) => {
    const work = pickWork(of, fromMs + 200_000 * hourMs, 0)
    return { machines: work?.tracks.length, hours: work && (work.toMs - work.fromMs) / hourMs }
  }

  it('Machines whose hours begin together share a slice of work', () => {
    expect(picked(tracks(20, 5_000))).to.deep.equal({ machines: 20, hours: sliceHours / 20 })
  })

  it('A machine with 100,000 dirty hours and no samples gets its own slice, longer once its hours are equal', () => {
    expect(picked(tracks(20, 100_000, { isQuiet: true }))).to.deep.equal({ machines: 1, hours: sliceHours })
    const even = { isQuiet: true, sliceHours: evenSliceHours }
    expect(picked(tracks(20, 100_000, even))).to.deep.equal({ machines: 1, hours: evenSliceHours })
  })

  it('Idle machines with few dirty hours share a slice of work', () => {
    const even = { isQuiet: true, sliceHours: evenSliceHours }
    expect(picked(tracks(20, 50, even))).to.deep.equal({ machines: 20, hours: 50 })
  })

  it('A rebuild gives a machine without samples a slice of its own', () => {
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

  it('Without dirty hours there is no slice of work', () => {
    expect(pickWork([createTrack(asMachineRef(1), asCompanyRef(1), inputsOf({}), fromMs)], fromMs, 0)).to.equal(null)
  })
})
