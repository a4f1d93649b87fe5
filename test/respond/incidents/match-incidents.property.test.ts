import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Evaluation } from '../../../respond/incidents/evaluation.ts'
import { isUnresolved, type KnownIncident } from '../../../respond/incidents/incident-change.ts'
import { matchIncidents } from '../../../respond/incidents/match-incidents.ts'
import { naiveSpans } from '../../support/alerting/naive-spans.ts'
import { plantSpans, toMinutes } from '../../support/alerting/plant-spans.ts'
import {
  anyPlant,
  anyRule,
  type Plant,
  plantMinutes,
  type PlantRule,
  toMs,
} from '../../support/alerting/random-plant.ts'
import { StoredIncidents } from '../../support/alerting/stored-incidents.ts'
import { forAll } from '../../support/for-all.ts'
import { minute } from '../../processors/timeline/support.ts'

interface Step {
  readonly limit: number
  /** The owner was killed: the limit that it stored last is that of an earlier evaluation. */
  readonly isKilled: boolean
  readonly isResolvedByUser: boolean
}

const anySteps = fc
  .array(
    fc.record({
      limit: fc.integer({ min: 1, max: plantMinutes - 1 }),
      isKilled: fc.boolean(),
      isResolvedByUser: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 3, maxLength: 10 },
  )
  .map(steps => steps.toSorted((a, b) => a.limit - b.limit))

/** Delay of each sample, in order of the samples, minutes. */
const anyDelays = fc.array(fc.constantFrom(0, 0, 0, 1, 15, 200, 2000), { minLength: 100, maxLength: 100 })

function arrivedBy(plant: Plant, delays: readonly number[], limit: number): Plant {
  return { ...plant, samples: plant.samples.filter(({ at }, index) => at + (delays[index] ?? 0) <= limit) }
}

function evaluate(stored: StoredIncidents, plant: Plant, rule: PlantRule, more: Partial<Evaluation>, limit: number) {
  const spans = plantSpans(plant, rule, limit)
  const evaluation = {
    incidents: stored.all,
    spans,
    spansWithoutActiveFrom: spans,
    activeFromMs: -Infinity,
    limitMs: toMs(limit),
    evaluatedToMs: -Infinity,
    lateMs: Infinity,
    clockMs: toMs(limit),
    mayOpen: true,
    downs: [],
    recordChangedMs: null,
    ...more,
  }
  stored.apply(matchIncidents(evaluation), toMs(limit))
  expect(matchIncidents({ ...evaluation, incidents: stored.all }), 'a second evaluation changes nothing').to.deep.equal(
    [],
  )
  expect(stored.all.filter(isUnresolved).length, 'unresolved incidents').to.be.at.most(1)
}

/** Runs all evaluations; the last one has all samples. */
function run(plant: Plant, rule: PlantRule, delays: readonly number[], steps: readonly Step[], lateMs: number) {
  const stored = new StoredIncidents()
  let evaluatedToMs = -Infinity
  for (const { limit, isKilled, isResolvedByUser } of steps) {
    evaluate(stored, arrivedBy(plant, delays, limit), rule, { evaluatedToMs, lateMs }, limit)
    if (!isKilled) evaluatedToMs = toMs(limit)
    if (isResolvedByUser) stored.resolveByUser(toMs(limit))
  }
  evaluate(stored, plant, rule, { evaluatedToMs, lateMs }, plantMinutes)
  return withFlaps(stored.all, rule.quietMinutes).map(({ startedMs, openedMs, endedMs }) =>
    [startedMs, openedMs, endedMs].map(toMinutes),
  )
}

/** Incidents by time. A flap after a user resolved an incident is another incident: it is joined with that incident. */
function withFlaps(incidents: readonly KnownIncident[], quietMinutes: number): readonly KnownIncident[] {
  const joined: KnownIncident[] = []
  const staying = incidents.filter(({ state }) => state !== 'retracted')
  for (const incident of staying.toSorted((a, b) => a.startedMs - b.startedMs)) {
    const last = joined.at(-1)
    if (last?.cause === 'user' && incident.startedMs - last.endedMs < quietMinutes * minute)
      joined[joined.length - 1] = { ...incident, startedMs: last.startedMs, openedMs: last.openedMs }
    else joined.push(incident)
  }
  return joined
}

const expectedOf = (plant: Plant, rule: PlantRule) =>
  naiveSpans(plant, rule).map(({ started, opened, end }) => [started, opened, end ?? Infinity])

describe('Matching of incidents', () => {
  it('Evaluations with late samples, kills and users end in the incidents of a scan over all samples', async () => {
    let found = 0
    await forAll(
      fc.property(anyPlant, anyRule, anyDelays, anySteps, (plant, rule, delays, steps) => {
        const expected = expectedOf(plant, rule)
        expect(run(plant, rule, delays, steps, Infinity)).to.deep.equal(expected)
        found += expected.length
      }),
      { numRuns: 250, shrinks: true },
    )
    expect(found, 'plants have incidents').to.be.above(50)
  })

  it('A span that is found late opens only if it held less than lateMs before the limit', async () => {
    await forAll(
      fc.property(anyPlant, anyRule, anyDelays, anySteps, (plant, anyRule, delays, steps) => {
        const late = 30
        // A flap after a user resolved an incident may be too late.
        const rule = steps.some(({ isResolvedByUser }) => isResolvedByUser) ? { ...anyRule, quietMinutes: 0 } : anyRule
        const expected = expectedOf(plant, rule)
        const actual = run(plant, rule, delays, steps, late * minute)
        const missing = expected.filter(([started]) => !actual.some(([other]) => other === started))
        expect(actual).to.deep.equal(expected.filter(span => !missing.includes(span)))
        const lastLimit = steps.at(-1)?.limit ?? 0
        for (const [, opened = 0, end = Infinity] of missing)
          expect(opened < lastLimit && end <= plantMinutes - late, `missing ${opened} to ${end}`).to.equal(true)
        if (delays.every(delay => delay === 0)) expect(missing).to.deep.equal([])
      }),
      { numRuns: 150, shrinks: true },
    )
  })
})
