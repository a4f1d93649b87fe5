import { expect } from 'chai'
import {
  createTrack,
  emptyHour,
  evenSliceHours,
  sliceHours,
  type MachineTrack,
} from '../../../processors/partitions/machine-track.ts'
import { Rebuilds } from '../../../processors/partitions/rebuilds.ts'
import { computedNow, pickWork, touchedWork, tracksBefore } from '../../../processors/partitions/work.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { execution, inputsOf, must } from '../timeline/support.ts'

const fromMs = Date.UTC(2010, 0, 1)

/** Creates machines whose hours from `fromMs` on are dirty. */
function tracks(count: number, hours: number, given: Partial<MachineTrack> = {}): readonly MachineTrack[] {
  return Array.from({ length: count }, (_, i) => {
    const track = createTrack(asMachineRef(i + 1), asCompanyRef(1), inputsOf({}), fromMs)
    track.dirty.add(fromMs, fromMs + hours * hourMs)
    return Object.assign(track, given)
  })
}

/** Creates a machine with a dirty hour and more than 20,000 samples in it. */
function heavyTrack(): MachineTrack {
  const track = must(tracks(1, 1)[0])
  const hour = emptyHour()
  for (let i = 0; i <= 20_000; i++) hour.samples.push(execution(0, 'ACTIVE'))
  track.hours.set(fromMs, hour)
  return track
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

  it('A machine with more than 20,000 samples in an hour is picked alone, after all others whose hours begin together', () => {
    const [heavy, light] = [heavyTrack(), must(tracks(1, 1)[0])]
    for (const of of [
      [heavy, light],
      [light, heavy],
    ])
      expect(pickWork(of, fromMs, 0)?.tracks).to.deep.equal([light])
    expect(pickWork([heavy, heavyTrack()], fromMs, 0)?.tracks).to.have.length(1)
  })

  it('A machine without samples whose hours fit into one slice shares it', () => {
    expect(picked(tracks(20, sliceHours, { isQuiet: true }))).to.deep.equal({ machines: 20, hours: sliceHours / 20 })
  })

  it('A slice of work has machines of one company, at most 500, whose hours begin last', () => {
    const [first, second] = [
      must(tracks(1, 3)[0]),
      Object.assign(must(tracks(1, 3)[0]), { companyRef: asCompanyRef(2) }),
    ]
    expect(pickWork([first, second], fromMs, 0)?.tracks).to.deep.equal([first])
    expect(picked(tracks(501, 1)).machines).to.equal(500)
    const later = must(tracks(1, 0)[0])
    later.dirty.add(fromMs + hourMs, fromMs + 2 * hourMs)
    const clean = must(tracks(1, 0)[0])
    for (const of of [
      [first, later, clean],
      [clean, later, first],
    ])
      expect(pickWork(of, fromMs + 5 * hourMs, 0)).to.deep.include({ tracks: [later], fromMs: fromMs + hourMs })
  })

  it('A machine is skipped until its back-off ends', () => {
    const [waiting, ready] = tracks(2, 1)
    must(waiting).backOffUntilMs = 10
    expect(pickWork([must(waiting)], fromMs, 9)).to.equal(null)
    expect(pickWork([must(waiting)], fromMs, 10)?.tracks).to.deep.equal([waiting])
    expect(pickWork([must(waiting), must(ready)], fromMs, 9)?.tracks).to.deep.equal([ready])
  })

  it('Live hours are picked before older ones if the hour before them is written and not dirty', () => {
    const from = (...dirtyHours: readonly number[]) => {
      const track = Object.assign(must(tracks(1, 0)[0]), { lastSlotMs: fromMs + 9 * hourMs })
      for (const hour of dirtyHours) track.dirty.add(fromMs + hour * hourMs, fromMs + (hour + 1) * hourMs)
      const work = pickWork([track], fromMs + Math.max(...dirtyHours) * hourMs, 0)
      return work && (work.fromMs - fromMs) / hourMs
    }
    expect([from(0, 5), from(0, 10)]).to.deep.equal([5, 10])
    expect(from(0, 4, 5), 'the hour before is dirty').to.equal(0)
    expect(from(0, 11), 'the hour before is not written').to.equal(0)
  })

  it('A slice of work extends to the hours that a change may reach, up to the last written hour', () => {
    const lastSlotMs = fromMs + 9 * hourMs
    const hours = (given: Partial<MachineTrack>) => picked(tracks(1, 1, given)).hours
    expect(hours({ lastSlotMs, reachHours: 5 })).to.equal(5)
    expect(hours({ lastSlotMs, reachHours: 20 })).to.equal(10)
    expect(hours({ lastSlotMs: fromMs, reachHours: 5 })).to.equal(1)
  })

  it('Without dirty hours there is no slice of work', () => {
    expect(pickWork([createTrack(asMachineRef(1), asCompanyRef(1), inputsOf({}), fromMs)], fromMs, 0)).to.equal(null)
  })
})

describe('computedNow', () => {
  const touched = (...olderHours: readonly number[]) =>
    new Map(
      tracks(olderHours.length, 0).map((track, i) => [
        track,
        new Set([fromMs, ...Array.from({ length: olderHours[i] ?? 0 }, (_, hour) => fromMs - (hour + 1) * hourMs)]),
      ]),
    )
  const sizes = (...olderHours: readonly number[]) =>
    Object.fromEntries(
      [...computedNow(touched(...olderHours), fromMs)].map(([track, slots]) => [track.machineRef, slots.size]),
    )

  it('At most 500 older hours of all machines are computed at once, those of machines with the fewest first', () => {
    expect(sizes(300, 250, 200)).to.deep.equal({ 1: 1, 2: 251, 3: 201 })
    expect(sizes(300, 200)).to.deep.equal({ 1: 301, 2: 201 })
  })

  it('All hours of a machine with more than 20,000 samples in an hour are computed later', () => {
    const [light, heavy] = [must(tracks(1, 0)[0]), heavyTrack()]
    const slots = new Set([fromMs])
    const touchedBoth = new Map([
      [light, slots],
      [heavy, slots],
    ])
    expect([...computedNow(touchedBoth, fromMs).keys()]).to.deep.equal([light])
  })
})

describe('touchedWork', () => {
  const work = (of: readonly MachineTrack[], ...hours: readonly number[]) => {
    const slots = new Set(hours.map(hour => fromMs + hour * hourMs))
    return touchedWork(new Map(of.map(track => [track, slots])), fromMs + 5_000 * hourMs).map(each => ({
      machines: each.tracks.length,
      from: (each.fromMs - fromMs) / hourMs,
      to: (each.toMs - fromMs) / hourMs,
    }))
  }

  it('Machines with the same hours share work, up to the machine-hours of a slice', () => {
    expect(work(tracks(3, 0), 0, 1)).to.deep.equal([{ machines: 3, from: 0, to: 2 }])
    expect(work(tracks(3, 0), 0, sliceHours / 2 - 1)).to.deep.equal([
      { machines: 2, from: 0, to: sliceHours / 2 },
      { machines: 1, from: 0, to: sliceHours / 2 },
    ])
  })

  it('Hours within one slice are one range, and later hours follow in another', () => {
    expect(work(tracks(1, 0), sliceHours, sliceHours - 1, 0)).to.deep.equal([
      { machines: 1, from: 0, to: sliceHours },
      { machines: 1, from: sliceHours, to: sliceHours + 1 },
    ])
  })

  it('Hours that have not begun are left out, unless a later hour is written', () => {
    expect(work(tracks(1, 0), 5_000, 5_001)).to.deep.equal([{ machines: 1, from: 5_000, to: 5_001 }])
    const written = tracks(1, 0, { lastSlotMs: fromMs + 5_001 * hourMs })
    expect(work(written, 5_000, 5_001, 5_002)).to.deep.equal([{ machines: 1, from: 5_000, to: 5_002 }])
  })

  it('Machines of different companies share no work, and earlier hours go first', () => {
    const [first, second, third] = tracks(3, 0)
    Object.assign(must(second), { companyRef: asCompanyRef(2) })
    const hours = (...of: readonly number[]) => new Set(of.map(hour => fromMs + hour * hourMs))
    const touched = new Map([
      [must(first), hours(3)],
      [must(second), hours(3)],
      [must(third), hours(1)],
    ])
    const works = touchedWork(touched, fromMs + 5 * hourMs)
    expect(works.map(({ tracks: of }) => of)).to.deep.equal([[third], [first], [second]])
    expect(tracksBefore(touched, fromMs + 3 * hourMs)).to.deep.equal([third])
  })
})
