import { expect } from 'chai'
import { KnownActivity } from '../../../respond/evaluate/known-activity.ts'
import { LongActivities } from '../../../respond/evaluate/long-activities.ts'
import { findNeededActivity } from '../../../respond/evaluate/needed-activity.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { dayMs, hourMs, minuteMs } from '../../../shared/time/units.ts'

const mill = asMachineRef(1)
const startMs = Date.parse('2026-03-02T08:00:00Z')
const rule = { forMs: minuteMs, quietMs: 10 * minuteMs, resolveAfterMs: 0 }

/** A machine that sends at these instants, UTC ms, and the reads of its earlier activity. */
class Sender {
  readonly known = new KnownActivity(minuteMs, new LongActivities(() => undefined))
  reads = 0
  readonly #sent: readonly number[]

  constructor(sent: readonly number[], newestMs: number) {
    this.#sent = sent
    this.known.restore(new Map([[mill, newestMs]]), () => Infinity)
  }

  /** Reads what an evaluation up to a limit needs. */
  evaluate(limitMs: number): void {
    for (;;) {
      const known = this.known.of(mill)
      const fromMs = findNeededActivity(rule, [], known, limitMs, limitMs - 8 * dayMs)
      if (fromMs === known.activityFromMs) return
      this.reads++
      const found = this.#sent.filter(ms => ms >= fromMs && ms < known.activityFromMs)
      this.known.extend(
        mill,
        fromMs,
        found.map(ms => ({ firstMs: ms, lastMs: ms })),
      )
    }
  }
}

describe('the activity that a rule on silence needs', () => {
  it('If each pause is a silence that continues the one before, the longest history is read in few steps, once', () => {
    const intervalMs = 2 * minuteMs
    const sent = Array.from({ length: 12 * 720 }, (_, at) => startMs + at * intervalMs)
    const newestMs = startMs + 10 * dayMs
    const machine = new Sender(sent, newestMs)
    machine.evaluate(newestMs + intervalMs)
    expect(machine.reads).to.be.within(1, 15)
    expect(machine.known.of(mill).activityFromMs).to.equal(newestMs + intervalMs - 8 * dayMs)
    machine.reads = 0
    for (let ms = newestMs + intervalMs; ms < newestMs + dayMs; ms += intervalMs) {
      machine.known.note(mill, ms, ms, ms)
      machine.evaluate(ms + 1)
    }
    expect(machine.reads).to.equal(0)
  })

  it('A silence after continuous activity needs no more than the time in which another one would continue', () => {
    const newestMs = startMs + dayMs
    const sent = Array.from({ length: 24 * 120 + 1 }, (_, at) => startMs + at * (minuteMs / 2))
    const machine = new Sender(sent, newestMs)
    machine.evaluate(newestMs + 5 * hourMs)
    expect(machine.reads).to.be.within(1, 3)
    expect(machine.known.of(mill).activityFromMs).to.be.within(newestMs - hourMs, newestMs - 10 * minuteMs)
  })
})
