import { expect } from 'chai'
import * as fc from 'fast-check'
import { dueSteps, type StepProgress } from '../../../respond/steps/due-steps.ts'
import type { AlertStep } from '../../../schema/records/alert-rule.ts'

const minute = 60_000
const step = (afterMs: number, repeatMs: number | null = null, until: AlertStep['until'] = 'acknowledged') => ({
  afterMs,
  repeatMs,
  until,
  targets: ['t'],
})
const opened = (more: Partial<StepProgress> = {}) => ({
  detectedMs: 0,
  reopenedMs: null,
  isAcknowledged: false,
  notices: [],
  ...more,
})

describe('dueSteps', () => {
  it('A step is due after its time, then at every repeat, at most 100 times', () => {
    const steps = [step(minute, minute)]
    expect(dueSteps(steps, opened(), minute - 1)).to.deep.equal({ due: [], nextMs: minute })
    const due = { step: 1, repeat: 0, dueMs: minute }
    expect(dueSteps(steps, opened(), minute)).to.deep.equal({ due: [due], nextMs: 2 * minute })
    const sent = opened({ notices: [{ step: 1, repeat: 0, atMs: minute }] })
    expect(dueSteps(steps, sent, minute)).to.deep.equal({ due: [], nextMs: 2 * minute })
    expect(dueSteps(steps, sent, 4 * minute).due).to.deep.equal([{ step: 1, repeat: 3, dueMs: 4 * minute }])
    expect(dueSteps(steps, sent, 1000 * minute)).to.deep.equal({
      due: [{ step: 1, repeat: 100, dueMs: 101 * minute }],
      nextMs: null,
    })
  })

  it('An acknowledgement stops steps until `acknowledged` only', () => {
    const steps = [step(0), step(0, null, 'resolved')]
    expect(dueSteps(steps, opened({ isAcknowledged: true }), 0).due.map(each => each.step)).to.deep.equal([2])
  })

  it('After a reopening, started steps do not repeat and other steps count from it', () => {
    const progress = opened({ reopenedMs: 10 * minute, notices: [{ step: 1, repeat: 0, atMs: 0 }] })
    const steps = [step(0, minute), step(5 * minute)]
    expect(dueSteps(steps, progress, 14 * minute)).to.deep.equal({ due: [], nextMs: 15 * minute })
    expect(dueSteps(steps, progress, 15 * minute).due).to.deep.equal([{ step: 2, repeat: 0, dueMs: 15 * minute }])
  })

  it('Steps end at the limit of the notices of an incident, with room for three other notices per target', () => {
    const targets = Array.from({ length: 20 }, (_, index) => `target-${index}`)
    const steps = [
      { ...step(0, minute), targets },
      { ...step(0, 2 * minute), targets: targets.slice(0, 7) },
    ]
    const notices: { step: number; repeat: number; atMs: number }[] = []
    let evaluations = 0
    for (let nowMs: number | null = 0; nowMs !== null;) {
      const { due, nextMs } = dueSteps(steps, opened({ notices }), nowMs)
      for (const { step, repeat, dueMs } of due)
        notices.push(...(steps[step - 1]?.targets ?? []).map(() => ({ step, repeat, atMs: dueMs })))
      nowMs = nextMs
      expect(++evaluations).to.be.below(1_000)
    }
    expect(notices.length).to.be.within(1_000 - 3 * 20 - 6, 1_000 - 3 * 20)
    expect(dueSteps(steps, opened({ notices }), 1_000 * minute)).to.deep.equal({ due: [], nextMs: null })
  })

  it('Notices at every due instant equal a plan of all repeats', () => {
    const anySteps = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 20 }), fc.constantFrom(null, 1, 3, 7))
        .map(([after, repeat]) => step(after * minute, repeat && repeat * minute)),
      { maxLength: 3 },
    )
    fc.assert(
      fc.property(anySteps, fc.integer({ min: 0, max: 60 }), (steps, end) => {
        const notices: { step: number; repeat: number; atMs: number }[] = []
        for (let nowMs: number | null = 0; nowMs !== null && nowMs <= end * minute;) {
          const { due, nextMs } = dueSteps(steps, opened({ notices }), nowMs)
          notices.push(...due.map(({ step, repeat, dueMs }) => ({ step, repeat, atMs: dueMs })))
          nowMs = nextMs
        }
        const planned = Array.from({ length: end + 1 }, (_, at) =>
          steps.flatMap(({ afterMs, repeatMs }, index) => {
            const after = at - afterMs / minute
            const repeat = repeatMs === null ? (after === 0 ? 0 : -1) : after / (repeatMs / minute)
            return repeat >= 0 && Number.isInteger(repeat) ? [{ step: index + 1, repeat, atMs: at * minute }] : []
          }),
        ).flat()
        expect(notices).to.deep.equal(planned)
      }),
    )
  })
})
