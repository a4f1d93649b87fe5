import { expect } from 'chai'
import * as fc from 'fast-check'
import { demoActions, type DemoAction, runsStartMs } from '../../../demo/simulate/demo-actions.ts'
import { createPlant } from '../../../demo/simulate/plant.ts'
import { hourMs } from '../../../shared/time/units.ts'

const dayMs = 24 * hourMs
const mondayMs = Date.parse('2024-05-06T00:00:00Z')
const plant = createPlant({ seed: 7, isDaily: true })
const acts = plant.machines.map(({ index }) => demoActions(plant, index, mondayMs, mondayMs + 3 * dayMs))

function ofKind<K extends DemoAction['kind']>(
  of: readonly DemoAction[],
  kind: K,
): readonly Extract<DemoAction, { kind: K }>[] {
  return of.filter((act): act is Extract<DemoAction, { kind: K }> => act.kind === kind)
}

describe('operator actions in a simulated plant', () => {
  it('The operator actions of two adjacent ranges equal those of the whole range', () => {
    const instants = fc.integer({ min: mondayMs, max: mondayMs + 8 * dayMs })
    const lengths = fc.integer({ min: 0, max: 2 * dayMs })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 23 }), instants, lengths, lengths, (machine, fromMs, first, second) => {
        const middleMs = fromMs + first
        const halves = [
          ...demoActions(plant, machine, fromMs, middleMs),
          ...demoActions(plant, machine, middleMs, middleMs + second),
        ]
        expect(halves).to.deep.equal(demoActions(plant, machine, fromMs, middleMs + second))
      }),
      { numRuns: 40 },
    )
  })

  it('In the simulated plant, each machine starts a new run every morning', () => {
    for (const of of acts) {
      const starts = ofKind(of, 'startRun')
      expect(starts.map(({ atMs }) => atMs)).to.deep.equal([6, 30, 54].map(hour => mondayMs + hour * hourMs))
      expect(new Set(starts.map(({ runId }) => runId)).size).to.equal(3)
    }
  })

  it('The run in progress at an instant and all later actions begin at the start of that run', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 8 * dayMs }), (machine, afterMs) => {
        const atMs = mondayMs + afterMs
        const of = demoActions(plant, machine, runsStartMs(atMs), atMs + dayMs)
        const started = new Set<string>()
        for (const act of of)
          if (act.kind === 'startRun') started.add(act.runId)
          else if ('runId' in act) expect(started).to.include(act.runId)
        expect(ofKind(of, 'startRun')[0]?.atMs).to.be.within(atMs - dayMs + 1, atMs)
      }),
    )
  })

  it('Annotations of the simulated plant cover only ended stops and do not overlap', () => {
    for (const [machine, of] of acts.entries()) {
      const stops = new Set(
        [-1, 0, 1, 2].flatMap(day =>
          plant
            .phases(machine, mondayMs + day * dayMs)
            .filter(({ kind }) => kind !== 'cycle' && kind !== 'load')
            .map(({ startMs, endMs }) => `${startMs}/${endMs}`),
        ),
      )
      const notes = ofKind(of, 'annotate')
      expect(notes.length).to.be.above(0)
      for (const { startMs, atMs } of notes) expect(stops.has(`${startMs}/${atMs}`)).to.equal(true)
      expect(new Set(notes.map(({ id }) => id)).size).to.equal(notes.length)
    }
  })

  it('In the simulated plant, a small share of the produced parts is rejected', () => {
    const rejected = acts.flatMap(of => ofKind(of, 'reject')).reduce((sum, { parts }) => sum + parts, 0)
    const made = plant.machines
      .flatMap(({ index }) => [0, 1, 2].flatMap(day => plant.phases(index, mondayMs + day * dayMs)))
      .filter(({ kind }) => kind === 'cycle').length
    expect(rejected / made).to.be.within(0.005, 0.08)
  })

  it('In the simulated plant, operators sign out as often as they sign in', () => {
    for (const of of acts) {
      const [ins, outs] = [ofKind(of, 'signIn').length, ofKind(of, 'signOut').length]
      expect(ins).to.equal(9)
      expect(outs).to.equal(9)
    }
  })
})
