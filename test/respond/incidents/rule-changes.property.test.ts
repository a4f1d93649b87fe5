import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Evaluation, horizonMs } from '../../../respond/incidents/evaluation.ts'
import { isUnresolved, type KnownIncident } from '../../../respond/incidents/incident-change.ts'
import { matchIncidents } from '../../../respond/incidents/match-incidents.ts'
import { joinIntervals } from '../../../respond/intervals/interval.ts'
import { buildSpans, type Span } from '../../../respond/spans/spans.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { StoredIncidents } from '../../support/alerting/stored-incidents.ts'
import { forAll } from '../../support/for-all.ts'

/** Random stops over 25 days: longer than the horizon. All times are hours, so that a few evaluations see all of them. */
const lastHour = 600

interface Stop {
  readonly start: number
  readonly length: number
  /** Delay until the evaluations know the stop. */
  readonly delay: number
  /** With its reason, the stop meets the wide rule only, which is the first one. */
  readonly isOther: boolean
}

const anyStop: fc.Arbitrary<Stop> = fc.record({
  start: fc.integer({ min: 0, max: lastHour - 1 }),
  length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 20, max: 400 })),
  delay: fc.constantFrom(0, 0, 0, 5, 30),
  isOther: fc.boolean(),
})

/** Stops, each of which may continue with another reason, or shortly after its end. */
const anyStops = fc
  .array(fc.tuple(anyStop, fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), anyStop), { maxLength: 2 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map(found =>
    found.flatMap(([stop, following]) => [
      stop,
      ...following.map(([after, next]) => ({ ...next, start: stop.start + stop.length + after })),
    ]),
  )

const anyStep = fc.record({
  limit: fc.integer({ min: 1, max: lastHour }),
  /** How far the limit is behind the clock. */
  backlog: fc.constantFrom(0, 0, 5),
  changesRule: fc.constantFrom(false, false, false, true),
  changesRecord: fc.constantFrom(false, false, true),
  isResolvedByUser: fc.constantFrom(false, false, true),
  /** The owner was killed: the limit that it stored last is that of an earlier evaluation. */
  isKilled: fc.constantFrom(false, false, true),
})
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never

const anySteps = fc
  .array(anyStep, { minLength: 3, maxLength: 14 })
  .map(steps => steps.toSorted((a, b) => a.limit - b.limit))

const anyRule = fc.record({
  condition: fc.constant({ stop: { reasons: [] } }),
  forMs: fc.constantFrom(0, 3 * hourMs),
  resolveAfterMs: fc.constantFrom(0, 2 * hourMs),
  quietMs: fc.constantFrom(0, 6 * hourMs),
})
type Rule = typeof anyRule extends fc.Arbitrary<infer Value> ? Value : never

const always = [{ startMs: -Infinity, endMs: Infinity }]

function intervalsOf(stops: readonly Stop[]) {
  return joinIntervals(
    stops.map(({ start, length }) => ({ startMs: start * hourMs, endMs: (start + length) * hourMs })),
  )
}

/** Applies an evaluation and checks the incidents after it. */
function evaluate(stored: StoredIncidents, evaluation: Omit<Evaluation, 'incidents'>, quietMs: number) {
  const before = stored.all
  const changes = matchIncidents({ ...evaluation, incidents: before })
  for (const change of changes)
    if (change.type === 'retract' && change.mergedInto === null)
      checkRetraction(
        before.filter(({ state }) => state !== 'retracted'),
        change.id,
        evaluation,
      )
  stored.apply(changes, evaluation.clockMs)
  for (const change of changes) if (change.type === 'open') checkOpening(stored.all, change.span, evaluation, quietMs)
  const again = matchIncidents({ ...evaluation, incidents: stored.all })
  expect(again, 'a second evaluation changes nothing').to.deep.equal([])
  checkIncidents(
    stored.all.filter(({ state }) => state !== 'retracted'),
    evaluation,
  )
}

/** A span does not open shortly after an incident that ended by its condition, and after the change of the rule: it reopens it. */
function checkOpening(
  incidents: readonly KnownIncident[],
  { startMs }: Span,
  { activeFromMs }: Omit<Evaluation, 'incidents'>,
  quietMs: number,
) {
  const reopening = incidents.filter(
    ({ state, cause, endedMs }) =>
      state === 'resolved' &&
      cause === 'condition' &&
      endedMs > activeFromMs &&
      endedMs <= startMs &&
      startMs - endedMs < quietMs,
  )
  expect(reopening, `incidents that the span from ${startMs / hourMs} reopens`).to.deep.equal([])
}

/** If no incident is from before a change of the rule, one without an end is retracted only without any span. */
function checkRetraction(
  incidents: readonly KnownIncident[],
  id: string,
  { spans, activeFromMs }: Omit<Evaluation, 'incidents'>,
) {
  const retracted = incidents.find(incident => incident.id === id)
  if (retracted?.endedMs !== Infinity || incidents.some(({ openedMs }) => openedMs < activeFromMs)) return
  expect(
    spans.filter(({ endMs }) => endMs > retracted.startedMs),
    'spans of a retracted incident',
  ).to.deep.equal([])
}

function checkIncidents(
  incidents: readonly KnownIncident[],
  { spans, spansWithoutActiveFrom, limitMs }: Omit<Evaluation, 'incidents'>,
) {
  const reversed = incidents.filter(({ openedMs, endedMs }) => endedMs < openedMs)
  expect(reversed, 'incidents that end before they open').to.deep.equal([])
  const unresolved = incidents.filter(isUnresolved)
  expect(unresolved.length, 'unresolved incidents').to.be.at.most(1)
  if (unresolved.length > 0) expect(spansWithoutActiveFrom.at(-1)?.endMs, 'span of the unresolved').to.equal(Infinity)
  for (const span of spans.filter(({ endMs }) => endMs > limitMs - horizonMs)) {
    const found = incidents.filter(
      ({ startedMs, endedMs }) =>
        span.openedMs < endedMs && startedMs < span.endMs && (span.endMs < Infinity || endedMs === Infinity),
    )
    expect(found.length, `incidents of the span from ${span.startMs / hourMs}`).to.be.at.least(1)
  }
}

/** Returns the incidents after all evaluations. */
function run(stops: readonly Stop[], rule: Rule, steps: readonly Step[]): readonly KnownIncident[] {
  const stored = new StoredIncidents()
  let clockMs = 0
  let evaluatedToMs = -Infinity
  let activeFromMs = -Infinity
  let recordChangedMs: number | null = null
  let isWide = true
  for (const step of steps) {
    const limitMs = step.limit * hourMs
    clockMs = Math.max(clockMs, limitMs + step.backlog * hourMs)
    if (step.changesRule) {
      activeFromMs = clockMs
      isWide = !isWide
    }
    if (step.changesRecord) recordChangedMs = clockMs
    const known = stops.filter(({ start, delay }) => start + delay <= step.limit)
    const holds = intervalsOf(known.filter(({ isOther }) => isWide || !isOther))
    evaluate(
      stored,
      {
        spans: buildSpans(rule, holds, always, activeFromMs, limitMs),
        spansWithoutActiveFrom: buildSpans(rule, holds, always, -Infinity, limitMs),
        activeFromMs,
        limitMs,
        evaluatedToMs,
        lateMs: Infinity,
        clockMs,
        mayOpen: true,
        downs: isWide ? [] : intervalsOf(known),
        recordChangedMs,
      },
      rule.quietMs,
    )
    if (!step.isKilled) evaluatedToMs = limitMs
    if (step.isResolvedByUser) stored.resolveByUser(clockMs)
  }
  return stored.all
}

describe('Matching of incidents while rules change', () => {
  const rule: Rule = { condition: { stop: { reasons: [] } }, forMs: 0, resolveAfterMs: 0, quietMs: 6 * hourMs }
  const stop = { delay: 0, isOther: false }
  const step: Omit<Step, 'limit'> = {
    backlog: 0,
    changesRule: false,
    changesRecord: false,
    isResolvedByUser: false,
    isKilled: false,
  }

  for (const isResolvedByUser of [false, true])
    it(`A rule that is narrowed again ends the second incident of a stop${isResolvedByUser ? ' after a user resolved the first' : ''}`, () => {
      const stops = [
        { ...stop, start: 0, length: 5 },
        { ...stop, start: 5, length: 20, isOther: true },
      ]
      const steps = [
        { ...step, limit: 1, isResolvedByUser },
        { ...step, limit: 6, changesRule: true },
        { ...step, limit: 7, changesRule: true },
        { ...step, limit: 8 },
        { ...step, limit: 9, changesRule: true },
      ]
      const incidents = run(stops, rule, steps).map(({ cause, openedMs, endedMs }) => ({
        cause,
        openedMs: openedMs / hourMs,
        endedMs: endedMs / hourMs,
      }))
      expect(incidents).to.deep.equal([
        { cause: isResolvedByUser ? 'user' : 'condition', openedMs: 0, endedMs: 5 },
        { cause: 'rule', openedMs: 7, endedMs: 9 },
      ])
    })

  it('A rule that is narrowed again ends its incident of a stop at the change, not before its opening', () => {
    const stops = [
      { ...stop, start: 0, length: 5 },
      { ...stop, start: 5, length: 20, isOther: true },
    ]
    const steps = [
      { ...step, limit: 6, changesRule: true },
      { ...step, limit: 7, changesRule: true },
      { ...step, limit: 8 },
      { ...step, limit: 9, changesRule: true },
    ]
    const incidents = run(stops, rule, steps)
    expect(incidents).to.have.lengthOf(1)
    expect(incidents[0]).to.include({ cause: 'rule', openedMs: 7 * hourMs, endedMs: 9 * hourMs })
  })

  describe('after a user resolved the incident', () => {
    it('Stops that flap after a change of the rule are one further incident', () => {
      const stops = [
        { ...stop, start: 74, length: 74 },
        { ...stop, start: 149, length: 20 },
        { ...stop, start: 170, length: 20 },
      ]
      const steps = [
        { ...step, limit: 75, isResolvedByUser: true },
        { ...step, limit: 148, changesRule: true },
        { ...step, limit: 171 },
      ]
      expect(run(stops, rule, steps)).to.have.lengthOf(2)
    })

    it('A flap reopens the second incident of a stop whose first one ended with a narrowed rule', () => {
      const stops = [
        { ...stop, start: 0, length: 20, isOther: true },
        { ...stop, start: 21, length: 1 },
      ]
      const steps = [
        { ...step, limit: 1, isResolvedByUser: true },
        { ...step, limit: 2, changesRule: true },
        { ...step, limit: 2, changesRule: true },
        { ...step, limit: 22 },
      ]
      expect(run(stops, rule, steps)).to.have.lengthOf(2)
    })

    it('An evaluation is stable after two changes of the rule during a stop', () => {
      const stops = [
        { ...stop, start: 0, length: 20, isOther: true },
        { ...stop, start: 1, length: 20 },
        { ...stop, start: 22, length: 20 },
      ]
      const steps = [
        { ...step, limit: 1, isResolvedByUser: true },
        { ...step, limit: 1, changesRule: true },
        { ...step, limit: 2 },
        { ...step, limit: 3, changesRule: true },
        { ...step, limit: 23 },
      ]
      expect(run(stops, rule, steps)).to.have.lengthOf(2)
    })

    it('The incident keeps its stop if the rule is narrowed, then widened', () => {
      const stops = [
        { ...stop, start: 0, length: 20, isOther: true },
        { ...stop, start: 21, length: 20 },
      ]
      const steps = [
        { ...step, limit: 1, isResolvedByUser: true },
        { ...step, limit: 22, changesRule: true },
        { ...step, limit: 22, changesRule: true },
      ]
      expect(run(stops, rule, steps)).to.have.lengthOf(1)
    })
  })

  it('Every span has an incident, and the one that holds an incident without an end', async () => {
    let found = 0
    await forAll(
      fc.property(anyStops, anyRule, anySteps, (stops, rule, steps) => {
        found += run(stops, rule, steps).length
      }),
      { numRuns: 2_000, shrinks: true },
    )
    expect(found, 'there are incidents').to.be.above(2_000)
  })
})
