import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Dimensions, Status } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { bitsOf } from '../../../processors/timeline/bits.ts'
import type { DimensionSpan } from '../../../processors/timeline/dimensions.ts'
import { slice } from '../../../processors/timeline/slicer.ts'
import type { AnnotationSpan } from '../../../processors/timeline/types.ts'

const slotMs = Date.UTC(2026, 2, 2, 8)
/** Reasons of downtime without an annotation: setup and uncategorized. */
const [setup, uncategorized] = [-1, 0]

/** State of a machine from an instant on. */
interface State {
  readonly atMs: number
  readonly status: Status
  readonly inCycle: boolean
  readonly spindle: boolean
  readonly cut: boolean
}

interface Hour {
  readonly spans: readonly DimensionSpan[]
  readonly states: readonly State[]
  readonly annotations: readonly AnnotationSpan[]
  readonly downtime: { readonly reason: number; readonly startMs: number } | null
}

const anyDimensions: fc.Arbitrary<Dimensions> = fc.record({
  shift: fc.constantFrom(0, 1),
  run: fc.constantFrom(0, 7),
  operators: fc.constantFrom([], [3], [3, 4]),
  mode: fc.constantFrom('none', 'setup', 'production'),
  scheduled: fc.boolean(),
  nonOptional: fc.boolean(),
})

const anyState = fc.record({
  lengthMs: fc.integer({ min: 1, max: 20 }),
  status: fc.constantFrom('UNAVAILABLE', 'INACTIVE', 'ACTIVE', 'FAULT'),
  inCycle: fc.boolean(),
  spindle: fc.boolean(),
  cut: fc.boolean(),
})

/**
 * A random hour of a few milliseconds: spans without gaps, states from the start of the hour, annotations apart or
 * adjacent.
 */
const anyHour: fc.Arbitrary<Hour> = fc
  .record({
    firstMs: fc.constantFrom(0, 0, 5),
    spans: fc.array(
      fc.record({
        lengthMs: fc.integer({ min: 1, max: 20 }),
        cell: fc.constantFrom(0, 1_800_000),
        dimensions: anyDimensions,
      }),
      { maxLength: 6 },
    ),
    states: fc.array(anyState, { minLength: 1, maxLength: 10 }),
    annotations: fc.array(
      fc.record({
        gapMs: fc.integer({ min: 0, max: 15 }),
        lengthMs: fc.constantFrom(1, 3, 12, 40, Infinity),
        reason: fc.constantFrom(uncategorized, 11, 12),
      }),
      { maxLength: 4 },
    ),
    downtime: fc.option(
      fc.record({ reason: fc.constantFrom(setup, uncategorized, 11), startMs: fc.constant(slotMs - 90_000) }),
    ),
  })
  .map(({ firstMs, spans, states, annotations, downtime }) => ({
    spans: laid(slotMs + firstMs, spans, ({ cell, dimensions }, startMs, endMs) => ({
      startMs,
      endMs,
      cell,
      dimensions,
    })),
    states: laid(slotMs, states, ({ status, inCycle, spindle, cut }, atMs) => ({
      atMs,
      status,
      inCycle,
      spindle,
      cut,
    })),
    // The downtime record may start before the hour.
    annotations: laid(slotMs - 10, annotations, ({ reason }, startMs, endMs) => ({ reason, startMs, endMs })).filter(
      ({ startMs }) => startMs < Infinity,
    ),
    downtime,
  }))

/** Places items one after the other, with a gap before each item that has one. */
function laid<Item extends { readonly lengthMs: number; readonly gapMs?: number }, Laid>(
  fromMs: number,
  items: readonly Item[],
  make: (item: Item, startMs: number, endMs: number) => Laid,
): Laid[] {
  let atMs = fromMs
  return items.map(item => {
    const startMs = atMs + (item.gapMs ?? 0)
    atMs = startMs + item.lengthMs
    return make(item, startMs, atMs)
  })
}

/** One millisecond of the hour, evaluated independently of all others. */
interface Moment {
  readonly ms: number
  readonly span: number
  readonly state: State
  readonly reason: number | null
  /** Start of the downtime record to which the moment belongs. */
  recordStartMs: number | null
}

/** Evaluates every millisecond of the spans against all lists. */
function momentsOf({ spans, states, annotations, downtime }: Hour): readonly Moment[] {
  const moments: Moment[] = []
  spans.forEach(({ startMs, endMs, dimensions: { scheduled, mode } }, span) => {
    for (let ms = startMs; ms < endMs; ms++) {
      const state = states.findLast(({ atMs }) => atMs <= ms)
      if (!state) throw new Error('no state at the start of the hour')
      const given = annotations.find(annotation => annotation.startMs <= ms && ms < annotation.endMs)
      const isDown = scheduled && !state.inCycle
      const reason = isDown ? (given?.reason ?? (mode === 'setup' ? setup : uncategorized)) : null
      const before = moments.at(-1)
      const carried = ms === slotMs && downtime?.reason === reason ? downtime.startMs : null
      const running = before?.reason === reason ? before.recordStartMs : carried
      moments.push({ ms, span, state, reason, recordStartMs: reason === null ? null : (running ?? ms) })
    }
  })
  return moments
}

/** Joins adjacent moments of equal content to intervals. */
function stretches<Extra>(moments: readonly Moment[], tell: (moment: Moment) => Extra) {
  const found: { text: string; start: number; end: number; extra: Extra }[] = []
  for (const moment of moments) {
    const extra = tell(moment)
    const text = JSON.stringify([moment.span, extra])
    const [start, last] = [moment.ms - slotMs, found.at(-1)]
    if (last?.text === text && last.end === start) last.end++
    else found.push({ text, start, end: start + 1, extra })
  }
  return found.map(({ start, end, extra }) => Object.assign({ start, end }, extra))
}

function cut({ states, ...hour }: Hour) {
  const changes = states.map(({ atMs, status, inCycle, spindle, cut: isCut }) => ({
    atMs,
    bits: bitsOf(status, inCycle, spindle, isCut),
  }))
  return slice({ slotMs, changes, ...hour })
}

function forAnyHour(check: (hour: Hour) => void) {
  fc.assert(fc.property(anyHour, check), { numRuns: 500 })
}

function placeOf({ spans }: Hour, span: number) {
  const { cell, dimensions } = spans[span] ?? { cell: NaN, dimensions: null }
  return { cell, ...dimensions }
}

describe('slice', () => {
  it('Segments equal an evaluation of each millisecond', () => {
    forAnyHour(hour => {
      const expected = stretches(momentsOf(hour), ({ span, state, reason }) => {
        const { status, inCycle, spindle, cut: isCut } = state
        return { ...placeOf(hour, span), status, inCycle, spindle, cut: isCut, reason }
      })
      expect(cut(hour).segments).to.deep.equal(expected)
    })
  })

  it('Downtime equals an evaluation of each millisecond, with the start of its record in this or an earlier hour', () => {
    forAnyHour(hour => {
      const down = momentsOf(hour).filter(({ reason }) => reason !== null)
      const expected = stretches(down, ({ span, reason, recordStartMs }) => {
        return { ...placeOf(hour, span), reason, recordStartMs }
      })
      expect(cut(hour).downtimes).to.deep.equal(expected)
    })
  })

  it('The downtime record that is open at the end of the hour is returned', () => {
    forAnyHour(hour => {
      const last = momentsOf(hour).at(-1)
      fc.pre(last !== undefined)
      const { running } = cut(hour)
      const { reason, recordStartMs: startMs, ms } = last
      const goesOn = running?.endMs === ms + 1 ? running : null
      expect(goesOn).to.deep.equal(reason === null ? null : { reason, startMs, endMs: ms + 1 })
    })
  })

  it('Facts sum the time by cell and dimensions, and spans of equal cell and dimensions share a fact', () => {
    forAnyHour(hour => {
      const { facts, factOfSpan } = cut(hour)
      const moments = momentsOf(hour)
      const count = (holds: (moment: Moment) => boolean) => moments.filter(holds).length
      const places = hour.spans.map((_, span) => JSON.stringify(placeOf(hour, span)))
      const expected = [...new Set(places)].map(place => {
        const isHere = ({ span }: Moment) => places[span] === place
        return Object.assign(placeOf(hour, places.indexOf(place)), {
          first: (moments.find(isHere)?.ms ?? NaN) - slotMs,
          last: (moments.findLast(isHere)?.ms ?? NaN) + 1 - slotMs,
          durationMs: count(isHere),
          inCycleMs: count(moment => isHere(moment) && moment.state.inCycle),
          spindleMs: count(moment => isHere(moment) && moment.state.spindle),
          cutMs: count(moment => isHere(moment) && moment.state.cut),
          parts: 0,
          adjusted: 0,
          scrap: 0,
          nonconform: 0,
        })
      })
      expect(facts).to.deep.equal(expected)
      const numbers = [...new Set(places)]
      expect(factOfSpan.map(fact => facts.indexOf(fact))).to.deep.equal(places.map(place => numbers.indexOf(place)))
    })
  })

  it('Without spans the hour is empty, and an open downtime record ends at the start of the hour', () => {
    const downtime = { reason: 11, startMs: slotMs - hourMs }
    const { segments, downtimes, facts, running } = slice({ slotMs, spans: [], changes: [], annotations: [], downtime })
    expect([segments, downtimes, facts]).to.deep.equal([[], [], []])
    expect(running).to.deep.equal({ ...downtime, endMs: slotMs })
  })

  it('A machine of unknown state is UNAVAILABLE', () => {
    const dimensions: Dimensions = {
      shift: 1,
      run: 0,
      operators: [],
      mode: 'none',
      scheduled: true,
      nonOptional: true,
    }
    const spans = [{ startMs: slotMs, endMs: slotMs + hourMs, cell: 0, dimensions }]
    const [segment] = slice({ slotMs, spans, changes: [], annotations: [], downtime: null }).segments
    expect(segment).to.include({
      status: 'UNAVAILABLE',
      inCycle: false,
      spindle: false,
      cut: false,
      start: 0,
      end: hourMs,
    })
  })
})
