import { expect } from 'chai'
import * as fc from 'fast-check'
import { countedDays, countedTime } from '../../../respond/spans/counted-time.ts'
import { buildSpans, type Span } from '../../../respond/spans/spans.ts'
import { type NaiveSpan, naiveSpans } from '../../support/alerting/naive-spans.ts'
import { plantCalendar, plantShiftIds } from '../../support/alerting/plant-documents.ts'
import { anyPlant, anyRule, plantMinutes, type PlantRule, toMs } from '../../support/alerting/random-plant.ts'
import { forAll } from '../../support/for-all.ts'
import { plantSpans, toMinutes } from '../../support/alerting/plant-spans.ts'

function inMinutes({ startMs, openedMs, endMs, episodes }: Span): NaiveSpan {
  return {
    started: toMinutes(startMs),
    opened: toMinutes(openedMs),
    end: endMs === Infinity ? null : toMinutes(endMs),
    reopened: episodes.slice(1).map(each => ({ started: toMinutes(each.startMs), opened: toMinutes(each.openedMs) })),
  }
}

/** Limits at which the first span opens, ends and is resolved. */
function edgesOf(span: NaiveSpan | undefined, { resolveAfterMinutes }: PlantRule): readonly number[] {
  if (!span) return []
  return [span.opened, span.opened + 1, ...(span.end === null ? [] : [span.end, span.end + resolveAfterMinutes])]
}

describe('Spans of rules', function () {
  this.timeout(200_000)

  it('Spans equal those of a scan over every minute of random plants, at any limit', async () => {
    let found = 0
    const limit = fc.oneof(fc.constant(plantMinutes), fc.integer({ min: 1, max: plantMinutes }))
    await forAll(
      fc.property(anyPlant, fc.array(anyRule, { minLength: 1, maxLength: 4 }), limit, (plant, rules, end) => {
        for (const rule of rules) {
          const expected = naiveSpans(plant, rule, end)
          expect(plantSpans(plant, rule, end).map(inMinutes)).to.deep.equal(expected)
          found += expected.length
          for (const edge of edgesOf(expected[0], rule))
            expect(plantSpans(plant, rule, edge).map(inMinutes), `limit ${edge}`).to.deep.equal(
              naiveSpans(plant, rule, edge),
            )
        }
      }),
      { numRuns: 100, shrinks: true },
    )
    // About 200, of which few plants have many.
    expect(found, 'plants have incidents').to.be.above(10)
  })

  it('The time to join episodes grows with their number only', function () {
    // More than ten times what a busy machine needs.
    this.timeout(30_000)
    const holds = Array.from({ length: 200_000 }, (_, index) => ({ startMs: 10 * index, endMs: 10 * index + 5 }))
    const rule = { condition: { stop: { reasons: [] } }, forMs: 0, resolveAfterMs: 0, quietMs: 10 }
    const spans = buildSpans(rule, holds, [{ startMs: -Infinity, endMs: Infinity }], -Infinity, Infinity)
    expect(spans.map(({ startMs, endMs, episodes }) => [startMs, endMs, episodes.length])).to.deep.equal([
      [0, 1_999_995, 200_000],
    ])
  })

  it('Silence and unavailability in evaluation gaps do not count; other statuses and alarms do', () => {
    const at = (minutes: number) => toMs(minutes)
    const state = { reason: null, scheduled: true, shift: 0 }
    const states = [
      { ...state, status: 'FAULT' as const, startMs: at(0), endMs: at(60) },
      { ...state, status: 'UNAVAILABLE' as const, startMs: at(60), endMs: at(200) },
    ]
    const always = { scheduled: null, shifts: [], days: [] }
    const gaps = [{ startMs: at(50), endMs: at(100) }]
    const inputs = { states, shiftIds: plantShiftIds, calendar: plantCalendar, gaps }
    const without = (startMs: number, endMs: number) => [
      { startMs: -Infinity, endMs: startMs },
      { startMs: endMs, endMs: Infinity },
    ]
    expect(countedTime(always, { silent: true }, inputs)).to.deep.equal(without(at(50), at(100)))
    expect(countedTime(always, { status: ['FAULT', 'UNAVAILABLE'] }, inputs)).to.deep.equal(without(at(60), at(100)))
    expect(countedTime(always, { stop: { reasons: [] } }, inputs), 'a stale machine is down').to.deep.equal(
      without(at(60), at(100)),
    )
    const alarm = { nativeCodes: [], states: [], text: '' }
    expect(countedTime(always, { alarm }, inputs)).to.deep.equal([{ startMs: -Infinity, endMs: Infinity }])
  })

  it('Rules on connectors count shop days only', () => {
    const range = { startMs: Date.UTC(2026, 2, 27), endMs: Date.UTC(2026, 2, 31) }
    expect(countedDays([], range, plantCalendar)).to.deep.equal([{ startMs: -Infinity, endMs: Infinity }])
    expect(countedDays([6, 7], range, plantCalendar), 'Saturday 06:00 to Monday 06:00 in Berlin').to.deep.equal([
      { startMs: Date.UTC(2026, 2, 28, 5), endMs: Date.UTC(2026, 2, 30, 4) },
    ])
  })
})
