import { expect } from 'chai'
import * as fc from 'fast-check'
import { startState, type SampleWindow } from '../../../processors/timeline/start-state.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import { parseState, serializeState, type MachineState } from '../../../processors/timeline/state.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import type { ActivityMinute, Sample } from '../../../schema/sample.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import { forAll } from '../../support/for-all.ts'
import { anyInputs, anySamples, anySeen, spreadHours } from './arbitraries.ts'
import { compute, condition, execution, inputsOf, minute, must, parts, startMs } from './support.ts'

/** The last samples before `beforeMs` of each kind of value, found by comparing each with each. */
function latestBefore(samples: readonly Sample[], beforeMs: number): readonly Sample[] {
  const before = samples.filter(({ atUs }) => atUs < beforeMs * 1000)
  const kindOf = ({ key, type, subtype, category, nativeCode }: Sample) =>
    JSON.stringify([key, type, subtype, category, nativeCode])
  return before.filter(each => !before.some(other => kindOf(other) === kindOf(each) && other.atUs > each.atUs))
}

function windowOf(
  samples: readonly Sample[],
  seen: readonly ActivityMinute[],
  fromMs: number,
  toMs: number,
): SampleWindow {
  const instants = [...samples.map(({ atUs }) => Math.floor(atUs / 1000)), ...seen.map(({ firstMs }) => firstMs)]
  return {
    fromMs,
    toMs,
    hourOf: slotMs => ({
      samples: sortAndDeduplicate(samples.filter(({ atUs }) => slotOf(atUs / 1000) === slotMs)),
      seen: seen.filter(({ firstMs }) => slotOf(firstMs) === slotMs),
    }),
    latest: latestBefore(samples, fromMs),
    firstSlotMs: startMs,
    firstSeenMs: Math.min(Infinity, ...instants),
  }
}

function stateByHours(
  inputs: MachineInputs,
  samples: readonly Sample[],
  seen: readonly ActivityMinute[],
  toMs: number,
): MachineState {
  const hours = (toMs - startMs) / hourMs
  return parseState(must(compute(inputs, samples, { hours, seen }).at(-1)).stateOut)
}

describe('state at the start of an hour', () => {
  it('A state that is derived from a window equals the state of a computation of all hours', async () => {
    let [derived, all] = [0, 0]
    const plant = fc.record({ inputs: anyInputs(), samples: anySamples(), seen: anySeen() })
    await forAll(
      fc.property(plant, ({ inputs, samples, seen }) => {
        for (let hour = 0; hour < spreadHours; hour++)
          for (let end = hour + 1; end <= spreadHours; end++) {
            const [fromMs, toMs] = [startMs + hour * hourMs, startMs + end * hourMs]
            const state = startState(inputs, windowOf(samples, seen, fromMs, toMs))
            all++
            if (state === null) continue
            derived++
            expect(JSON.parse(serializeState(state))).to.deep.equal(
              JSON.parse(serializeState(stateByHours(inputs, samples, seen, toMs))),
            )
          }
      }),
      { numRuns: 500, shrinks: true },
    )
    expect(derived / all).to.be.within(0.1, 0.99)
  })

  const changes = (hours: number) =>
    Array.from({ length: hours }, (_, hour) => execution(hour * hourMs + minute, hour % 2 ? 'READY' : 'ACTIVE'))

  function derive(samples: readonly Sample[], fromHour: number, toHour: number, inputs = inputsOf()) {
    return startState(inputs, windowOf(samples, [], startMs + fromHour * hourMs, startMs + toHour * hourMs))
  }

  it('A machine with a change of state in each hour needs a window of two hours', () => {
    const samples = [parts(0, 5), ...changes(9), parts(8 * hourMs + minute, 6)]
    expect(derive(samples, 7, 9)).to.deep.equal(stateByHours(inputsOf(), samples, [], startMs + 9 * hourMs))
    expect(derive([parts(0, 5), ...changes(7)], 7, 9), 'no change in the window').to.equal(null)
  })

  it('A counter needs a rise within the window, because its last value may be a dip or a spike', () => {
    const dip = [parts(0, 100), parts(2 * hourMs, 50), ...changes(9)]
    expect(derive(dip, 7, 9)).to.equal(null)
    const risen = [...dip, parts(8 * hourMs, 51)]
    expect(derive(risen, 7, 9)).to.deep.equal(stateByHours(inputsOf(), risen, [], startMs + 9 * hourMs))
  })

  it('An alarm needs a window that contains its start', () => {
    const samples = [...changes(9), condition(5 * hourMs + 1, 'FAULT', 'a'), condition(8 * hourMs, 'FAULT', 'a')]
    expect(derive(samples, 6, 9)).to.equal(null)
    expect(derive(samples, 5, 9)?.conditions.map(each => each.startMs)).to.deep.equal([startMs + 5 * hourMs + 1])
  })

  it('An alarm that a replaced sample of another code may have cleared needs a window that contains its start', () => {
    const cleared = [
      condition(0, 'FAULT', 'a'),
      condition(minute, 'UNAVAILABLE', 'b'),
      condition(2 * minute, 'NORMAL', 'b'),
    ]
    const samples = [...cleared, ...changes(9), condition(8 * hourMs + 2 * minute, 'NORMAL', 'a')]
    expect(derive(samples, 7, 9)).to.equal(null)
    expect(derive(samples, 0, 9)).to.deep.equal(stateByHours(inputsOf(), samples, [], startMs + 9 * hourMs))
    const visible = [condition(0, 'FAULT', 'a'), condition(minute, 'NORMAL', ''), ...changes(9)]
    expect(derive(visible, 7, 9)).to.deep.equal(stateByHours(inputsOf(), visible, [], startMs + 9 * hourMs))
  })

  it('A machine without samples needs a window that contains the start of its downtime', () => {
    const inputs = inputsOf({}, { commissioned: { fromMs: startMs, createdMs: 0, toMs: null } })
    expect(derive([], 1, 3, inputs)).to.equal(null)
    expect(derive([], 0, 3, inputs)).to.deep.equal(stateByHours(inputs, [], [], startMs + 3 * hourMs))
  })

  it('The first window shows the state of a machine without samples that is not scheduled', () => {
    const calendar: MachineInputs['calendar'] = (fromMs, toMs) =>
      inputsOf()
        .calendar(fromMs, toMs)
        .map(span => Object.assign(span, { nonOptional: false }))
    for (const settings of [{}, { staleAfterMs: 10 * minute }]) {
      const inputs = inputsOf(settings, { calendar })
      const expected = stateByHours(inputs, [], [], startMs + 3 * hourMs)
      expect(derive([], 2, 3, inputs)).to.deep.equal(expected)
      expect(derive([execution(3 * hourMs + minute, 'ACTIVE')], 2, 3, inputs), 'later samples').to.deep.equal(expected)
      expect(derive([execution(minute, 'READY')], 2, 3, inputs), 'earlier samples').to.equal(null)
    }
  })

  it('A run in setup that auto-production may have moved to production needs a window that contains its start', () => {
    const runs = [{ run: 1, startMs, endMs: Infinity, startInSetup: true, productionMs: null }]
    const inputs = inputsOf({}, { autoProduction: true, runs })
    const samples = [...changes(9), parts(0, 1), parts(minute, 2), parts(8 * hourMs, 3)]
    expect(derive(samples, 6, 9, inputs)).to.equal(null)
    expect(derive(samples, 0, 9, inputs)?.autoRun).to.equal(1)
  })
})
