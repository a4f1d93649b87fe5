import { expect } from 'chai'
import * as fc from 'fast-check'
import type { MachineHistory } from '../../../respond/holds/machine-history.ts'
import { tryRule, type TryLimits } from '../../../respond/try/try-rule.ts'
import { naiveSpans } from '../../support/alerting/naive-spans.ts'
import { plantCalendar, plantHistory, plantShiftIds } from '../../support/alerting/plant-documents.ts'
import { toMinutes } from '../../support/alerting/plant-spans.ts'
import { anyPlant, anyRule, plantMinutes, toMs } from '../../support/alerting/random-plant.ts'
import { forAll } from '../../support/for-all.ts'
import { minute } from '../../processors/timeline/support.ts'

const always = { scheduled: null, shifts: [], days: [] }
const calendar = { shiftIds: plantShiftIds, calendar: plantCalendar }

/** A history with faults in these intervals, in minutes. */
function faults(...intervals: readonly (readonly [number, number])[]): MachineHistory {
  const alarms = intervals.map(([start, end]) => ({
    startMs: toMs(start),
    endMs: toMs(end),
    nativeCode: 'a',
    message: '',
    level: 'FAULT' as const,
  }))
  return { states: [], alarms }
}

const rule = (more: object) => ({
  condition: { alarm: { nativeCodes: [], states: [], text: '' } },
  forMs: 0,
  when: always,
  steps: [],
  resolveAfterMs: 0,
  quietMs: 0,
  ...more,
})

const step = (after: number, repeat: number | null, ...targets: readonly string[]) => ({
  afterMs: after * minute,
  until: 'acknowledged' as const,
  targets,
  repeatMs: repeat === null ? null : repeat * minute,
})

const unlimited = { maxIncidents: Infinity, maxNotices: Infinity }

function tryFaults(more: object, history: MachineHistory, start = 0, end = 1000, limits: TryLimits = unlimited) {
  const machine = { history, activity: [], commissioned: { startMs: 0, endMs: Infinity }, ...calendar }
  return tryRule(rule(more), machine, toMs(start), toMs(end), limits).map(({ openedMs, endedMs, notices }) => ({
    opened: toMinutes(openedMs),
    ended: endedMs === null ? null : toMinutes(endedMs),
    notices: notices.map(({ atMs, step, targetId }) => [toMinutes(atMs), step, targetId]),
  }))
}

describe('tryRule', function () {
  this.timeout(120_000)

  it('Notices are sent from the opening until the incident is resolved, without its end', () => {
    const steps = [step(0, 10, 'a', 'b'), step(20, null, 'c')]
    expect(tryFaults({ steps, resolveAfterMs: 5 * minute }, faults([100, 115]))).to.deep.equal([
      {
        opened: 100,
        ended: 115,
        notices: [
          [100, 1, 'a'],
          [100, 1, 'b'],
          [110, 1, 'a'],
          [110, 1, 'b'],
        ],
      },
    ])
  })

  it('After a reopening, other steps count from it and started steps are done', () => {
    const steps = [step(0, 10, 'a'), step(20, null, 'c')]
    expect(tryFaults({ steps, quietMs: 30 * minute }, faults([100, 115], [130, 160]))[0]?.notices).to.deep.equal([
      [100, 1, 'a'],
      [110, 1, 'a'],
      [150, 2, 'c'],
    ])
  })

  it('Incidents that opened in the range are returned, with their true start and an open end', () => {
    const history = faults([10, 20], [40, 70], [90, 200])
    expect(tryFaults({}, history, 20, 100).map(({ opened, ended }) => [opened, ended])).to.deep.equal([
      [40, 70],
      [90, null],
    ])
    expect(tryFaults({ forMs: 25 * minute }, history, 50, 100).map(({ opened }) => opened)).to.deep.equal([65])
    expect(tryFaults({ steps: [step(0, 5, 'a')] }, history, 80, 100)[0]?.notices.length, 'until the end').to.equal(2)
  })

  it('The first incidents and notices are returned up to their limits', () => {
    const history = faults([10, 20], [40, 70], [90, 100])
    const steps = [step(0, 5, 'a'), step(10, null, 'b')]
    const limited = (maxIncidents: number, maxNotices: number) =>
      tryFaults({ steps }, history, 0, 1000, { maxIncidents, maxNotices }).map(({ notices }) =>
        notices.map(([at, step]) => [at, step]),
      )
    const first = [
      [10, 1],
      [15, 1],
    ]
    const second = [
      [40, 1],
      [45, 1],
      [50, 1],
      [50, 2],
      [55, 1],
      [60, 1],
      [65, 1],
    ]
    expect(limited(2, 100)).to.deep.equal([first, second])
    expect(limited(2, 6), 'by time').to.deep.equal([first, second.slice(0, 4)])
    expect(limited(3, 1)).to.deep.equal([first.slice(0, 1), [], []])
  })

  it('A step repeats 100 times', () => {
    expect(tryFaults({ steps: [step(0, 1, 'a')] }, faults([10, 900]))[0]?.notices.length).to.equal(101)
  })

  it('Incidents equal those of a scan over every minute', async () => {
    await forAll(
      fc.property(anyPlant, anyRule, (plant, each) => {
        const tried = {
          condition: each.condition,
          when: each.when,
          forMs: each.forMinutes * minute,
          resolveAfterMs: each.resolveAfterMinutes * minute,
          quietMs: each.quietMinutes * minute,
          steps: [],
        }
        const machine = { ...plantHistory(plant), ...calendar }
        const found = tryRule(tried, machine, toMs(1000), toMs(plantMinutes), unlimited).map(
          ({ startedMs, openedMs, endedMs }) =>
            [startedMs, openedMs, endedMs].map(at => (at === null ? null : toMinutes(at))),
        )
        const expected = naiveSpans(plant, { ...each, activeFrom: -1000 })
          .filter(({ opened }) => opened >= 1000)
          .map(({ started, opened, end }) => [started, opened, end])
        expect(found).to.deep.equal(expected)
      }),
      { numRuns: 100, shrinks: true },
    )
  })
})
