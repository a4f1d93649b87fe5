import { expect } from 'chai'
import { hourMs } from '../../../shared/time/units.ts'
import type { CalendarSpan } from '../../../processors/calendar/types.ts'
import type { MachineInputs, RunSpan } from '../../../processors/timeline/types.ts'
import {
  compute,
  computeOne,
  execution,
  inputsOf,
  minute,
  must,
  parts,
  partsOf,
  startMs,
  sum,
  throughText,
  timeline,
} from './support.ts'

const runOf = (more: Partial<RunSpan> = {}): RunSpan => ({
  run: 5,
  startMs: startMs + 10 * minute,
  endMs: Infinity,
  startInSetup: false,
  productionMs: null,
  ...more,
})

/** Creates spans of `minutes` each; the last one extends to the end of the requested range. */
function calendarOf(
  ...spans: readonly (Partial<CalendarSpan> & { readonly minutes: number })[]
): MachineInputs['calendar'] {
  return (fromMs, toMs) => {
    let atMs = startMs
    const all = spans.map(({ minutes, ...more }) => {
      const span = { startMs: atMs, endMs: atMs + minutes * minute, cellMs: startMs, shift: 0 }
      atMs = span.endMs
      return Object.assign(span, { optional: false, nonOptional: false }, more)
    })
    return all
      .filter(span => span.endMs > fromMs && span.startMs < toMs)
      .map(span => Object.assign(span, { startMs: Math.max(fromMs, span.startMs), endMs: Math.min(toMs, span.endMs) }))
  }
}

describe('mode', () => {
  const modesOf = (inputs: MachineInputs, ...samples: Parameters<typeof computeOne>[1]) =>
    timeline(computeOne(inputs, samples), ({ mode }) => mode).map(([start, , mode]) => [start / minute, mode])

  it('The mode is production during a run and none outside of runs', () => {
    const inputs = inputsOf({}, { runs: [runOf({ endMs: startMs + 20 * minute })] })
    expect(modesOf(inputs)).to.deep.equal([[0, 'none'], [10, 'production'], [20, 'none']]) // prettier-ignore
  })

  it('A run started in setup is in setup until its production instant', () => {
    const inputs = inputsOf({}, { runs: [runOf({ startInSetup: true, productionMs: startMs + 30 * minute })] })
    expect(modesOf(inputs)).to.deep.equal([[0, 'none'], [10, 'setup'], [30, 'production']]) // prettier-ignore
  })

  it('A production instant before the start of the run has effect at the start', () => {
    const inputs = inputsOf({}, { runs: [runOf({ startInSetup: true, productionMs: startMs })] })
    expect(modesOf(inputs)).to.deep.equal([[0, 'none'], [10, 'production']]) // prettier-ignore
  })

  describe('with autoProduction', () => {
    const auto = (more: Partial<RunSpan> = {}) =>
      inputsOf({}, { autoProduction: true, runs: [runOf({ startInSetup: true, ...more })] })

    it('autoProduction switches a run to production at its first counted part, which counts as production', () => {
      const samples = [
        parts(0, 1),
        parts(5 * minute, 2),
        parts(15 * minute, 2),
        parts(16 * minute, 3),
        parts(17 * minute, 4),
      ]
      expect(modesOf(auto(), ...samples)).to.deep.equal([[0, 'none'], [10, 'setup'], [16, 'production']]) // prettier-ignore
      const modes = computeOne(auto(), samples).parts.map(({ mode }) => mode)
      expect(modes).to.deep.equal(['none', 'production', 'production'])
    })

    it('With autoProduction, an earlier production instant takes precedence', () => {
      const inputs = auto({ productionMs: startMs + 12 * minute })
      expect(modesOf(inputs, parts(0, 1), parts(16 * minute, 3))[2]).to.deep.equal([12, 'production'])
    })

    it('A negative addition of parts does not switch a run to production', () => {
      const samples = [parts(0, 500), parts(5 * minute, 5), parts(15 * minute, 500)]
      expect(modesOf(auto(), ...samples)).to.deep.equal([[0, 'none'], [10, 'setup']]) // prettier-ignore
    })

    it('A run stays in production in the following hours', () => {
      const samples = [parts(0, 1), parts(16 * minute, 3), parts(hourMs + minute, 4)]
      const documents = compute(auto(), samples, { hours: 3, carry: throughText })
      expect(documents.slice(1).map(document => timeline(document, ({ mode }) => mode))).to.deep.equal([
        [[0, hourMs, 'production']],
        [[0, hourMs, 'production']],
      ])
    })

    it('The next run started in setup begins in setup', () => {
      const next = runOf({ run: 6, startInSetup: true, startMs: startMs + 90 * minute })
      const inputs = { ...auto(), runs: [runOf({ startInSetup: true, endMs: next.startMs }), next] }
      const documents = compute(inputs, [parts(0, 1), parts(16 * minute, 3)], { hours: 3 })
      expect(documents.slice(1).map(document => timeline(document, ({ mode }) => mode))).to.deep.equal([
        [[0, 30 * minute, 'production'], [30 * minute, hourMs, 'setup']], // prettier-ignore
        [[0, hourMs, 'setup']],
      ])
    })
  })

  it('Without autoProduction, counted parts leave a run in setup', () => {
    const inputs = inputsOf({}, { runs: [runOf({ startInSetup: true })] })
    expect(modesOf(inputs, parts(0, 1), parts(15 * minute, 2))).to.deep.equal([[0, 'none'], [10, 'setup']]) // prettier-ignore
  })

  it('A setup is recorded where a run starts in setup, with its dimensions', () => {
    const runs = [
      runOf({ startInSetup: true, endMs: startMs + 90 * minute }),
      runOf({ run: 6, startMs: startMs + 90 * minute }),
    ]
    const documents = compute(inputsOf({}, { runs }), [], { hours: 2 })
    expect(documents.flatMap(({ setups }) => setups.map(({ at, run, mode }) => [at, run, mode]))).to.deep.equal([
      [10 * minute, 5, 'setup'],
    ])
  })
})

describe('scheduled', () => {
  const calendar = calendarOf(
    { minutes: 10, shift: 1, nonOptional: true },
    { minutes: 20, shift: 2, optional: true },
    { minutes: 30, shift: 0 },
  )
  const runs = [runOf({ startMs: startMs + 20 * minute, endMs: startMs + 40 * minute })]
  const scheduledOf = (inputs: MachineInputs) =>
    timeline(computeOne(inputs, []), ({ scheduled }) => scheduled).map(([start, , on]) => [start / minute, on])

  it('With scheduledBy shift, shifts are scheduled, optional shifts only during a run, and time outside of shifts never', () => {
    const expected = [[0, true], [10, false], [20, true], [30, false]] // prettier-ignore
    expect(scheduledOf(inputsOf({}, { calendar, runs }))).to.deep.equal(expected)
  })

  it('With scheduledBy job, exactly the time of runs is scheduled', () => {
    const inputs = inputsOf({}, { calendar, runs, scheduledBy: 'job' })
    expect(scheduledOf(inputs)).to.deep.equal([[0, false], [20, true], [40, false]]) // prettier-ignore
  })

  it('nonOptional depends on the calendar only, also with scheduledBy job', () => {
    const document = computeOne(inputsOf({}, { calendar, runs, scheduledBy: 'job' }), [])
    expect(timeline(document, ({ nonOptional }) => nonOptional)).to.deep.equal([
      [0, 10 * minute, true],
      [10 * minute, hourMs, false],
    ])
  })
})

describe('operators', () => {
  it('The operators of a segment are all signed-in operators, unique and ascending', () => {
    const at = (from: number, to: number, operator: number) => ({
      operator,
      startMs: startMs + from * minute,
      endMs: startMs + to * minute,
    })
    const operators = [at(-600, -1, 4), at(-500, 20, 9), at(-100, 5, 3), at(0, 30, 3)]
    const document = computeOne(inputsOf({}, { operators }), [])
    expect(timeline(document, segment => segment.operators.join('+'))).to.deep.equal([
      [0, 20 * minute, '3+9'],
      [20 * minute, 30 * minute, '3'],
      [30 * minute, hourMs, ''],
    ])
  })
})

describe('cells', () => {
  it('Cells cut segments, facts and downtime, but not downtime records', () => {
    const calendar = calendarOf(
      { minutes: 30, cellMs: startMs - 30 * minute, nonOptional: true },
      { minutes: 30, cellMs: startMs + 30 * minute, nonOptional: true },
    )
    const { segments, facts, downtimes } = computeOne(inputsOf({}, { calendar }), [])
    expect(segments.map(({ cell, start, end }) => [cell, start, end])).to.deep.equal([
      [0, 0, 30 * minute],
      [30 * minute, 30 * minute, hourMs],
    ])
    expect(facts.map(({ cell, first, last }) => [cell, first, last])).to.deep.equal([
      [0, 0, 30 * minute],
      [30 * minute, 30 * minute, hourMs],
    ])
    expect(downtimes.map(({ recordStartMs }) => recordStartMs)).to.deep.equal([startMs, startMs])
  })
})

describe('downtime', () => {
  const annotation = (from: number, to: number, reason: number) => ({
    reason,
    startMs: startMs + from * minute,
    endMs: startMs + to * minute,
  })
  const reasonsOf = (document: ReturnType<typeof computeOne>) =>
    timeline(document, ({ reason }) => reason).map(([start, , reason]) => [start / minute, reason])

  it('The reason of downtime is its annotation, otherwise setup, otherwise uncategorized', () => {
    const inputs = inputsOf(
      {},
      {
        runs: [runOf({ startInSetup: true, productionMs: startMs + 20 * minute })],
        annotations: [annotation(15, 16, 7), annotation(25, 45, 8)],
      },
    )
    const document = computeOne(inputs, [execution(30 * minute, 'ACTIVE'), execution(40 * minute, 'READY')])
    const expected = [[0, 0], [10, -1], [15, 7], [16, -1], [20, 0], [25, 8], [30, null], [40, 8], [45, 0]] // prettier-ignore
    expect(reasonsOf(document)).to.deep.equal(expected)
  })

  it('Unscheduled time is not downtime', () => {
    const document = computeOne(inputsOf({}, { scheduledBy: 'job', annotations: [annotation(0, 60, 7)] }), [])
    expect(reasonsOf(document)).to.deep.equal([[0, null]])
    expect(document.downtimes).to.deep.equal([])
  })

  it('A downtime record lasts while its reason stays, across hours, runs, shifts and statuses', () => {
    const inputs = inputsOf({}, { runs: [runOf()], annotations: [annotation(50, 130, 7)] })
    const samples = [
      execution(5 * minute, 'ACTIVE'),
      execution(6 * minute, 'READY'),
      execution(20 * minute, 'UNAVAILABLE'),
    ]
    const documents = compute(inputs, samples, { hours: 3, carry: throughText })
    const elements = documents.flatMap(({ downtimes }) =>
      downtimes.map(element => [(element.recordStartMs - startMs) / minute, element.reason]),
    )
    expect(elements).to.deep.equal([[0, 0], [6, 0], [6, 0], [50, 7], [50, 7], [50, 7], [130, 0]]) // prettier-ignore
  })

  it('Two adjacent annotations of one reason make one downtime record', () => {
    const document = computeOne(inputsOf({}, { annotations: [annotation(10, 20, 7), annotation(20, 30, 7)] }), [])
    expect(document.downtimes.map(({ start, end }) => [start / minute, end / minute])).to.deep.equal([[0, 10], [10, 30], [30, 60]]) // prettier-ignore
  })
})

describe('adjustments', () => {
  it('A part adjustment counts at its instant, with the dimensions of that instant', () => {
    const adjustment = { count: -5, scrap: 5, nonconform: 0, type: 3 }
    const adjustments = [-1, 10, 60].map(minutes => Object.assign({ atMs: startMs + minutes * minute }, adjustment))
    const document = computeOne(inputsOf({}, { runs: [runOf()], adjustments }), [])
    expect(document.adjustments.map(({ at, run, count, scrap, type }) => [at, run, count, scrap, type])).to.deep.equal([
      [10 * minute, 5, -5, 5, 3],
    ])
    expect(document.facts.map(({ run, adjusted, scrap }) => [run, adjusted, scrap])).to.deep.equal([[0, 0, 0], [5, -5, 5]]) // prettier-ignore
  })
})

describe('commissioned range', () => {
  const samples = [
    execution(5 * minute, 'ACTIVE'),
    parts(5 * minute, 1),
    parts(6 * minute, 3),
    parts(30 * minute, 7),
    parts(50 * minute, 8),
  ]
  const count = (commissioned: MachineInputs['commissioned']) => {
    const document = computeOne(inputsOf({}, { commissioned }), samples)
    const first = must(document.segments[0])
    const last = must(document.segments.at(-1))
    return [first.start / minute, last.end / minute, sum(partsOf(document).map(([, added]) => added))]
  }

  it('The commissioned range begins with the first sample if that precedes the creation', () => {
    expect(count({ fromMs: null, createdMs: startMs + 20 * minute, toMs: null })).to.deep.equal([5, 60, 7])
  })

  it('The commissioned range begins with the creation if that precedes the first sample', () => {
    expect(count({ fromMs: null, createdMs: startMs + 2 * minute, toMs: null })).to.deep.equal([2, 60, 7])
  })

  it('Nothing outside a configured commissioned range counts, but earlier samples determine the state', () => {
    const commissioned = { fromMs: startMs + 6 * minute + 1, createdMs: 0, toMs: startMs + 50 * minute }
    expect(count(commissioned)).to.deep.equal([6 + 1 / minute, 50, 4])
    expect(computeOne(inputsOf({}, { commissioned }), samples).segments[0]?.status).to.equal('ACTIVE')
  })

  it('A first sample in an earlier hour begins the commissioned range', () => {
    const inputs = inputsOf({}, { commissioned: { fromMs: null, createdMs: startMs + 5 * hourMs, toMs: null } })
    const documents = compute(inputs, samples, { hours: 3, carry: throughText })
    expect(documents.map(({ facts }) => sum(facts.map(fact => fact.durationMs)))).to.deep.equal([
      55 * minute,
      hourMs,
      hourMs,
    ])
  })

  it('A downtime record does not begin before the commissioned range', () => {
    const commissioned = { fromMs: startMs + 7 * minute, createdMs: 0, toMs: null }
    const [element] = computeOne(inputsOf({}, { commissioned }), []).downtimes
    expect(element?.recordStartMs).to.equal(startMs + 7 * minute)
  })
})
