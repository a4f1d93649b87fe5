import { expect } from 'chai'
import * as fc from 'fast-check'
import { KnownActivity } from '../../../respond/evaluate/known-activity.ts'
import { LongActivities } from '../../../respond/evaluate/long-activities.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { dayMs } from '../../../shared/time/units.ts'
import { forAll } from '../../support/for-all.ts'

const mill = asMachineRef(1)
const never = () => Infinity
const long = () => new LongActivities(ref => `${ref % 3}`)

/** The runs of instants of which no two neighbours are further apart than `pauseMs`. */
function runsOf(instants: readonly number[], pauseMs: number) {
  const sorted = instants.toSorted((a, b) => a - b)
  const starts = sorted.filter((ms, at) => at === 0 || ms - (sorted[at - 1] ?? ms) > pauseMs)
  return starts.map((firstMs, at) => {
    const before = sorted.filter(ms => ms < (starts[at + 1] ?? Infinity))
    return { firstMs, lastMs: before.at(-1) ?? firstMs }
  })
}

describe('KnownActivity', () => {
  it('The activity equals that of all instants in order, whatever the order in which they arrive', () =>
    forAll(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 40 }),
        fc.nat(40),
        fc.integer({ min: 1, max: 20 }),
        (instants, stored, pauseMs) => {
          const known = new KnownActivity(pauseMs, long())
          const before = instants.slice(0, stored)
          const after = instants.slice(stored)
          const half = after.length >> 1
          for (const ms of after.slice(0, half)) known.note(mill, ms, ms, 0)
          const newest = Math.max(...before)
          known.restore(new Map(before.length === 0 ? [] : [[mill, newest]]), never)
          for (const ms of after.slice(half)) known.note(mill, ms, ms, 0)
          const clipped = (fromMs: number, all = instants, longestMs = pauseMs) =>
            runsOf(all, longestMs)
              .filter(({ lastMs }) => lastMs >= fromMs)
              .map(({ firstMs, lastMs }) => ({ firstMs: Math.max(firstMs, fromMs), lastMs }))
          const fromMs = before.length === 0 ? -Infinity : newest
          expect(known.of(mill).activityFromMs).to.equal(fromMs)
          expect(known.of(mill).activity).to.deep.equal(clipped(fromMs))
          const late = after.filter(ms => ms < fromMs)
          if (late.length > 0) expect(known.of(mill).lateSampleMs).to.be.at.most(Math.min(...late))
          const extended = before.filter(ms => ms >= 100 && ms < fromMs).map(ms => ({ firstMs: ms, lastMs: ms }))
          known.extend(mill, 100, extended)
          const all = [...before.filter(ms => ms >= 100 || ms === newest), ...after]
          const allFromMs = Math.min(100, fromMs)
          expect(known.of(mill).activity).to.deep.equal(clipped(allFromMs, all))
          known.lengthenPauses(2 * pauseMs)
          expect(known.of(mill).activity, 'longer pauses').to.deep.equal(clipped(allFromMs, all, 2 * pauseMs))
        },
      ),
      { numRuns: 300 },
    ))

  it('Nothing is known before the restoration; a machine without samples in the store has sent none', () => {
    const known = new KnownActivity(60_000, long())
    expect(known.of(mill)).to.include({ activityFromMs: Infinity })
    known.restore(new Map(), never)
    expect(known.of(mill)).to.deep.equal({ activity: [], activityFromMs: -Infinity, lateSampleMs: Infinity })
  })

  it('A sample is news if it ends a silence or changes one that was evaluated', () => {
    const known = new KnownActivity(60_000, long())
    known.restore(new Map([[mill, 0]]), never)
    expect(known.note(mill, 50_000, 55_000, 40_000), 'continues').to.equal(false)
    expect(known.note(mill, 115_001, 115_001, 115_000), 'ends a silence').to.equal(true)
    expect(known.note(mill, 115_001, 115_001, 200_000), 'repeats').to.equal(false)
    expect(known.note(mill, 116_000, 116_000, 200_000), 'shortens a silence').to.equal(true)
    expect(known.note(mill, 80_000, 80_000, 200_000), 'splits a silence').to.equal(true)
    expect(known.of(mill).activity).to.deep.equal([{ firstMs: 0, lastMs: 116_000 }])
  })

  it('The memory of a machine is bounded; its older activity counts as unknown', () => {
    const known = new KnownActivity(60_000, long())
    known.restore(new Map(), never)
    for (let at = 0; at < 1_000; at++) known.note(mill, at * 100_000, at * 100_000, 0)
    const { activity, activityFromMs } = known.of(mill)
    expect(activity).to.have.length(500)
    expect(activityFromMs).to.equal(500 * 100_000)
  })

  it('A late sample from before all that may change, such as an imported one, requires no earlier activity', () => {
    const newestMs = 30 * dayMs
    for (const isRestoredFirst of [true, false]) {
      const known = new KnownActivity(60_000, long())
      if (isRestoredFirst) known.restore(new Map([[mill, newestMs]]), never)
      known.note(mill, dayMs, dayMs, newestMs)
      if (!isRestoredFirst) known.restore(new Map([[mill, newestMs]]), never)
      expect(known.of(mill).lateSampleMs).to.equal(Infinity)
      known.note(mill, newestMs - 6 * dayMs, newestMs - 6 * dayMs, newestMs)
      expect(known.of(mill).lateSampleMs).to.equal(newestMs - 6 * dayMs)
    }
  })

  it('A few machines of the process may have as many runs as the longest history, as many of one company as of another', () => {
    const long = new LongActivities(ref => (ref <= 15 ? 'first' : 'second'))
    const partitions = [new KnownActivity(60_000, long), new KnownActivity(60_000, long)]
    const machines = Array.from({ length: 30 }, (_, index) => asMachineRef(index + 1))
    const activity = Array.from({ length: 5_000 }, (_, at) => ({ firstMs: at * 130_000, lastMs: at * 130_000 }))
    for (const known of partitions) known.restore(new Map(machines.map(ref => [ref, 8 * dayMs])), never)
    const longOnesAt = (ms: number) => {
      for (const ref of machines) {
        const known = partitions[ref % 2]
        known?.extend(ref, 0, activity)
        known?.note(ref, ms, ms, ms)
      }
      return machines.filter(ref => (partitions[ref % 2]?.of(ref).activity.length ?? 0) > 500)
    }
    longOnesAt(9 * dayMs)
    expect(longOnesAt(10 * dayMs)).to.deep.equal(machines.slice(5, 25))
  })
})
