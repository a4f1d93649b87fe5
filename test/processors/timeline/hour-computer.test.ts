import { expect } from 'chai'
import * as fc from 'fast-check'
import type { HourDocument } from '../../../schema/document.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import type { Sample, ActivityMinute } from '../../../schema/sample.ts'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import type { CalendarSpan } from '../../../processors/calendar/types.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { HourComputer } from '../../../processors/timeline/hour-computer.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import { initialState } from '../../../processors/timeline/state.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { aSchedule, aShift } from '../calendar/schedules.ts'
import { anyInputs, anySample, anySeen, spreadHours } from './arbitraries.ts'
import { compute, execution, inputsOf, minute, must, startMs } from './support.ts'

/** Computes consecutive hours from `startMs` with one HourComputer. */
function make(inputs: MachineInputs, samples: readonly Sample[], hours: number, seen: readonly ActivityMinute[] = []) {
  const computer = new HourComputer(inputs)
  const documents: HourDocument[] = []
  let state = initialState()
  for (let slotMs = startMs; slotMs < startMs + hours * hourMs; slotMs += hourMs) {
    const inHour = sortAndDeduplicate(samples.filter(({ atUs }) => slotOf(atUs / 1000) === slotMs))
    const seenInHour = seen.filter(({ firstMs }) => slotOf(firstMs) === slotMs)
    const { document, stateOut } = computer.compute(slotMs, state, inHour, seenInHour)
    documents.push(document)
    state = stateOut
  }
  return documents
}

/** Number of documents that share the facts object of the previous document. */
function repeated(documents: readonly HourDocument[]): number {
  return documents.filter((document, index) => index > 0 && document.facts === documents[index - 1]?.facts).length
}

/** Calendars whose hours are mostly equal: each hour has one of two patterns of cuts. */
const anyEvenCalendar = fc
  .tuple(
    fc.array(anyPattern(), { minLength: 2, maxLength: 2 }),
    fc.array(fc.constantFrom(0, 0, 0, 0, 1), { minLength: spreadHours + 2, maxLength: spreadHours + 2 }),
  )
  .map(([patterns, chosen]) => (fromMs: number, toMs: number): CalendarSpan[] => {
    const slots = chosen.map((_, index) => startMs + index * hourMs)
    const spans = slots.flatMap((slotMs, index) => patternSpans(must(patterns[chosen[index] ?? 0]), slotMs))
    return spans.filter(span => span.startMs < toMs && span.endMs > fromMs).map(span => cutTo(span, fromMs, toMs))
  })

function cutTo(span: CalendarSpan, fromMs: number, toMs: number): CalendarSpan {
  return { ...span, startMs: Math.max(span.startMs, fromMs), endMs: Math.min(span.endMs, toMs) }
}

interface Cut {
  readonly at: number
  readonly shift: number
  readonly isCell: boolean
}

function anyPattern(): fc.Arbitrary<readonly Cut[]> {
  const cut = fc.record({ at: fc.constantFrom(15, 30, 45), shift: fc.constantFrom(0, 0, 1, 2), isCell: fc.boolean() })
  const first = fc.record({ at: fc.constant(0), shift: fc.constantFrom(0, 1, 2), isCell: fc.constant(true) })
  const others = fc.uniqueArray(cut, { maxLength: 2, selector: ({ at }) => at })
  return fc.tuple(first, others).map(([head, more]) => [more, head].flat().toSorted((a, b) => a.at - b.at))
}

function patternSpans(pattern: readonly Cut[], slotMs: number): CalendarSpan[] {
  return pattern.map(({ at, shift }, index) => {
    const cell = pattern.slice(0, index + 1).findLast(({ isCell }) => isCell)
    return {
      startMs: slotMs + at * minute,
      endMs: slotMs + (pattern[index + 1]?.at ?? 60) * minute,
      cellMs: slotMs + (cell?.at ?? 0) * minute,
      shift,
      optional: false,
      nonOptional: shift > 0,
    }
  })
}

/** Machines of all kinds, most of which have few records. */
const anyFew = fc
  .record({
    inputs: anyInputs(),
    calendar: fc.option(anyEvenCalendar),
    kept: fc.array(fc.nat(2), { minLength: 6, maxLength: 6 }),
  })
  .map(({ inputs, calendar, kept }) => withFew(inputs, calendar ?? inputs.calendar, kept))

/** Removes the records of the kinds for which `kept` is 0. */
function withFew(inputs: MachineInputs, calendar: MachineInputs['calendar'], kept: readonly number[]): MachineInputs {
  let next = 0
  const some = <T>(value: T, none: T): T => (kept[next++] === 0 ? value : none)
  return {
    ...inputs,
    calendar,
    settings: { ...inputs.settings, staleAfterMs: some(inputs.settings.staleAfterMs, null) },
    commissioned: some(inputs.commissioned, { fromMs: null, createdMs: startMs - 1, toMs: null }),
    runs: some(inputs.runs, []),
    operators: some(inputs.operators, []),
    annotations: some(inputs.annotations, []),
    adjustments: some(inputs.adjustments, []),
  }
}

describe('HourComputer', () => {
  it('Consecutive hours equal hours computed one by one, with few samples and records', () => {
    const plants = fc.record({
      inputs: anyFew,
      samples: fc.array(anySample(), { maxLength: 2 }),
      seen: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, anySeen()),
    })
    let shared = 0
    fc.assert(
      fc.property(plants, ({ inputs, samples, seen }) => {
        const hours = spreadHours + 2
        const documents = make(inputs, samples, hours, seen)
        shared += repeated(documents)
        expect(documents).to.deep.equal(compute(inputs, samples, { hours, seen }))
      }),
      { numRuns: 2000 },
    )
    expect(shared).to.be.above(700)
  })

  it('Each hour is computed from the state that is passed in', () => {
    const inputs = inputsOf({}, { scheduledBy: 'job' })
    const computer = new HourComputer(inputs)
    const { stateOut } = computer.compute(startMs, initialState(), [execution(0, 'ACTIVE')], [])
    computer.compute(startMs + hourMs, initialState(), [], [])
    const { document } = computer.compute(startMs + 2 * hourMs, stateOut, [], [])
    expect(document).to.deep.equal(computeHour(inputs, startMs + 2 * hourMs, stateOut, [], []).document)
  })

  it('A switch to production hours after the start of a run is found', () => {
    const run = { run: 1, startMs, endMs: Infinity, startInSetup: true, productionMs: startMs + 5.5 * hourMs }
    const inputs = inputsOf({}, { runs: [run] })
    const documents = make(inputs, [execution(0, 'ACTIVE')], 10)
    expect(documents).to.deep.equal(compute(inputs, [execution(0, 'ACTIVE')], { hours: 10 }))
    expect(repeated(documents)).to.equal(6)
  })

  it('Consecutive hours equal hours computed one by one across clock changes and shift ends within hours', () => {
    const settings = { timeZone: 'Europe/Berlin', startOfDay: '05:15', firstDayOfWeek: 1 } as const
    const calendar = createCalendar(settings, aSchedule([aShift(1, '06:30-14:10')]))
    const inputs = inputsOf({}, { calendar: calendar.spans })
    const samples = [execution(0, 'READY')]
    const documents = make(inputs, samples, 24 * 35)
    expect(documents).to.deep.equal(compute(inputs, samples, { hours: 24 * 35 }))
    expect(repeated(documents)).to.be.above(24 * 15)
  })

  it('Hours without changes share their arrays', () => {
    const documents = make(inputsOf(), [execution(0, 'ACTIVE')], 1000)
    expect(repeated(documents)).to.equal(998)
    expect(must(documents.at(-1)).slotMs).to.equal(startMs + 999 * hourMs)
  })
})
