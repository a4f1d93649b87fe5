import { expect } from 'chai'
import * as fc from 'fast-check'
import type { MachineHistory } from '../../../respond/holds/machine-history.ts'
import type { Span } from '../../../respond/spans/spans.ts'
import { firstNotices, FirstIncidents, type NotifyingRule } from '../../../respond/try/first-incidents.ts'
import { tryRule, type TriedRule } from '../../../respond/try/try-rule.ts'
import { naiveSpans } from '../../support/alerting/naive-spans.ts'
import { plantCalendar, plantHistory, plantShiftIds } from '../../support/alerting/plant-documents.ts'
import { toMinutes } from '../../support/alerting/plant-spans.ts'
import {
  anyPlant,
  anyRule,
  type Plant,
  plantMinutes,
  type PlantRule,
  plantStartMs,
  toMs,
} from '../../support/alerting/random-plant.ts'
import { forAll } from '../../support/for-all.ts'
import { slotOf } from '../../../shared/time/units.ts'
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

type More = Partial<NotifyingRule & Pick<TriedRule, 'forMs' | 'quietMs'>>

const rule = (more: More) => ({
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

const wholeHistory = (history: MachineHistory) => ({
  history,
  activity: [],
  commissioned: { startMs: 0, endMs: Infinity },
  ...calendar,
  fromMs: 0,
  limitMs: toMs(1000),
  beginsMs: 0,
})

const unlimited = { incidents: Infinity, notices: Infinity }

function tryFaults(more: More, history: MachineHistory, start = 0, end = 1000, limits = unlimited) {
  const tried = rule(more)
  const limitMs = toMs(end)
  const { spans } = tryRule(tried, { ...wholeHistory(history), limitMs }, toMs(start))
  const found = new FirstIncidents<{ readonly id: string }>(tried, limits.incidents)
  for (const span of spans) found.add({ subject: { id: 'a' }, span, limitMs })
  const incidents = found.list()
  const { notices } = firstNotices(tried, incidents, limits.notices)
  return incidents.map(({ span: { openedMs, endMs } }, index) => ({
    opened: toMinutes(openedMs),
    ended: endMs === Infinity ? null : toMinutes(endMs),
    notices: (notices[index] ?? []).map(({ atMs, step, targetId }) => [toMinutes(atMs), step, targetId]),
  }))
}

/** Returns a history as it is read from an instant on: documents of whole hours, and samples. */
function historyFrom(plant: Plant, fromMs: number) {
  const { history, activity, commissioned } = plantHistory(plant)
  const states = history.states.flatMap(state =>
    state.endMs <= fromMs ? [] : [{ ...state, startMs: Math.max(state.startMs, fromMs) }],
  )
  return {
    ...calendar,
    history: { states, alarms: history.alarms.filter(({ endMs }) => endMs > fromMs) },
    activity: activity.filter(({ firstMs }) => firstMs >= fromMs),
    commissioned,
    fromMs,
    limitMs: toMs(plantMinutes),
  }
}

function beginOf(plant: Plant, { condition }: PlantRule): number {
  return 'silent' in condition ? (plantHistory(plant).activity[0]?.firstMs ?? Infinity) : plantStartMs
}

function triedOf({ condition, when, forMinutes, resolveAfterMinutes, quietMinutes }: PlantRule) {
  return {
    condition,
    when,
    forMs: forMinutes * minute,
    resolveAfterMs: resolveAfterMinutes * minute,
    quietMs: quietMinutes * minute,
  }
}

function inMinutes(spans: readonly Span[]) {
  return spans.map(({ startMs, openedMs, endMs }) => [
    toMinutes(startMs),
    toMinutes(openedMs),
    endMs === Infinity ? null : toMinutes(endMs),
  ])
}

function naiveIncidents(plant: Plant, each: PlantRule, start: number) {
  return naiveSpans(plant, { ...each, activeFrom: -1000 })
    .filter(({ opened }) => opened >= start)
    .map(({ started, opened, end }) => [started, opened, end])
}

describe('tryRule', () => {
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
      tryFaults({ steps }, history, 0, 1000, { incidents: maxIncidents, notices: maxNotices }).map(({ notices }) =>
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

  it('Of several subjects, the incidents that open first are kept', () => {
    const found = new FirstIncidents<{ readonly id: string }>(rule({}), 3)
    const add = (id: string, openedMs: number) => {
      const span = { startMs: openedMs, openedMs, endMs: Infinity, episodes: [] }
      found.add({ subject: { id }, span, limitMs: Infinity })
    }
    add('b', 5)
    add('a', 5)
    add('c', 1)
    expect([found.hasMore, ...found.list().map(({ subject }) => subject.id)]).to.deep.equal([false, 'c', 'a', 'b'])
    for (const at of [9, 8, 7, 6, 4, 9]) add('d', at)
    expect(found.list().map(({ subject, span }) => [subject.id, span.openedMs])).to.deep.equal([
      ['c', 1],
      ['d', 4],
      ['a', 5],
    ])
    expect(found.hasMore).to.equal(true)
  })

  it('Of a flapping condition only the episodes in which steps start are kept, with the same notices', async () => {
    const anyStep = fc
      .record({ after: fc.nat(30), repeat: fc.option(fc.integer({ min: 1, max: 9 })), targets: fc.constant(['a']) })
      .map(({ after, repeat, targets }) => step(after, repeat, ...targets))
    const anyTimes = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 2, maxLength: 60 })
    await forAll(
      fc.property(fc.array(anyStep, { maxLength: 4 }), anyTimes, fc.nat(10), (steps, times, resolveAfter) => {
        const sorted = times.toSorted((a, b) => a - b)
        const holds = sorted.flatMap((start, index) => {
          const end = sorted[index + 1]
          return index % 2 === 0 && end !== undefined ? [[start, end] as const] : []
        })
        const tried = rule({ steps, resolveAfterMs: resolveAfter * minute, quietMs: 1000 * minute })
        const { spans } = tryRule(tried, wholeHistory(faults(...holds)), 0)
        const found = new FirstIncidents<{ readonly id: string }>(tried, 10)
        for (const span of spans) found.add({ subject: { id: 'a' }, span, limitMs: toMs(1000) })
        const kept = found.list()
        for (const { span } of kept) expect(span.episodes.length).to.be.at.most(steps.length)
        const whole = spans.map(span => ({ span, limitMs: toMs(1000) }))
        expect(firstNotices(tried, kept, 1_000)).to.deep.equal(firstNotices(tried, whole, 1_000))
      }),
      { numRuns: 300, shrinks: true },
    )
  })

  it('Whether there are more notices is known at the limit', () => {
    const steps = [step(0, null, 'a', 'b')]
    const { spans } = tryRule(rule({}), wholeHistory(faults([10, 20], [40, 70])), 0)
    const incidents = spans.map(span => ({ span, limitMs: toMs(1000) }))
    const counts = (max: number) => {
      const { notices, hasMore } = firstNotices({ steps, resolveAfterMs: 0 }, incidents, max)
      return [hasMore, ...notices.map(({ length }) => length)]
    }
    expect([2, 3, 4, 5].map(counts)).to.deep.equal([
      [true, 2, 0],
      [true, 2, 1],
      [false, 2, 2],
      [false, 2, 2],
    ])
  })

  it('Incidents equal those of a scan over every minute', async () => {
    await forAll(
      fc.property(anyPlant, anyRule, (plant, each) => {
        const machine = { ...historyFrom(plant, plantStartMs), beginsMs: beginOf(plant, each) }
        const { spans, isCut } = tryRule(triedOf(each), machine, toMs(1000))
        expect(inMinutes(spans)).to.deep.equal(naiveIncidents(plant, each, 1000))
        expect(isCut).to.equal(false)
      }),
      { numRuns: 100, shrinks: true },
    )
  })

  it('A cut history gives all incidents of the scan, or says that it is cut and gives some of them', async () => {
    const anyStart = fc.integer({ min: 60, max: plantMinutes - 1 })
    await forAll(
      fc.property(anyPlant, anyRule, anyStart, fc.integer({ min: 0, max: 30 }), (plant, each, start, lead) => {
        const fromMs = Math.max(plantStartMs, slotOf(toMs(start - lead * 60)))
        const machine = { ...historyFrom(plant, fromMs), beginsMs: beginOf(plant, each) }
        const { spans, isCut } = tryRule(triedOf(each), machine, toMs(start))
        const expected = naiveIncidents(plant, each, start)
        if (isCut) expect(expected).to.deep.include.members(inMinutes(spans))
        else expect(inMinutes(spans)).to.deep.equal(expected)
      }),
      { numRuns: 200, shrinks: true },
    )
  })
})
