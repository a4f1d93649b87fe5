import { assert } from 'chai'
import * as fc from 'fast-check'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import type { CalendarSpan } from '../../../processors/calendar/types.ts'
import { createZone } from '../../../processors/calendar/zone.ts'
import type { ScheduleRecord, Shift } from '../../../schema/records/schedule.ts'
import { naiveCellBound, naiveMoment } from './naive.ts'
import { aSchedule, utc } from './schedules.ts'

const stepMs = 5 * 60_000
const rangeMs = 30 * 3_600_000

const zones = ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Havana', 'Africa/Casablanca']
/** Days around clock changes, and one without a clock change. */
const days = ['2024-03-10', '2024-11-03', '2024-04-06', '2024-10-05', '2024-03-31', '2024-04-14', '2024-07-01']

const time = fc
  .integer({ min: 0, max: 287 })
  .map(n => `${String(Math.floor(n / 12)).padStart(2, '0')}:${String((n % 12) * 5).padStart(2, '0')}`)
const shift = fc.record({
  ref: fc.integer({ min: 1, max: 4 }),
  optional: fc.boolean(),
  start: time,
  end: time,
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
})
const shifts: fc.Arbitrary<Shift[]> = fc
  .array(shift, { maxLength: 4 })
  .map(list => list.map(one => ({ ...one, id: String(one.ref), name: String(one.ref) })))
const near = (day: string, dates: number) => new Date(utc(day) + dates * 86_400_000).toISOString().slice(0, 10)

const world = fc
  .record({
    timeZone: fc.constantFrom(...zones),
    startOfDay: fc.oneof(fc.constantFrom('00:00', '06:00', '05:30'), time),
    day: fc.constantFrom(...days),
    fromSteps: fc.integer({ min: -300, max: 100 }),
    early: fc.option(shifts),
    late: shifts,
    lateFrom: fc.integer({ min: -2, max: 2 }),
    exception: fc.option(fc.record({ on: fc.integer({ min: -2, max: 2 }), shifts })),
  })
  .map(({ day, early, late, lateFrom, exception, timeZone, startOfDay, fromSteps }) => ({
    settings: { timeZone, startOfDay, firstDayOfWeek: 1 },
    fromMs: utc(day) + fromSteps * stepMs,
    schedule: aSchedule([], {
      versions: [
        ...(early ? [{ effectiveFrom: null, shifts: early }] : []),
        { effectiveFrom: near(day, lateFrom), shifts: late },
      ],
      exceptions: exception ? [{ date: near(day, exception.on), shifts: exception.shifts }] : [],
    }) satisfies ScheduleRecord,
  }))

describe('calendar: spans against an evaluation every five minutes', () => {
  it('Spans equal a naive evaluation every five minutes, in content and in boundaries', () => {
    fc.assert(
      fc.property(world, ({ settings, schedule, fromMs }) => {
        const spans = createCalendar(settings, schedule).spans(fromMs, fromMs + rangeMs)
        assertCover(spans, fromMs, fromMs + rangeMs)
        let before = ''
        for (let at = fromMs; at < fromMs + rangeMs; at += stepMs) {
          const span = spans.find(({ startMs, endMs }) => startMs <= at && at < endMs)
          const moment = naiveMoment(settings, schedule, at)
          const { shift, optional, nonOptional } = span ?? {}
          assert.deepEqual({ shift, optional, nonOptional }, { ...moment }, new Date(at).toISOString())
          const bound = naiveCellBound(settings, at)
          assert.equal(span?.startMs === at, at === fromMs || bound || before !== JSON.stringify(moment))
          assert.equal(span?.cellMs === at, bound)
          before = JSON.stringify(moment)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('Spans requested hour by hour equal spans requested for the whole range', () => {
    fc.assert(
      fc.property(world, ({ settings, schedule, fromMs }) => {
        const hourMs = 3_600_000
        const startMs = Math.floor(fromMs / hourMs) * hourMs
        const whole = createCalendar(settings, schedule).spans(startMs, startMs + rangeMs)
        const calendar = createCalendar(settings, schedule)
        for (let at = startMs; at < startMs + rangeMs; at += hourMs) {
          const expected: CalendarSpan[] = []
          for (const span of whole)
            if (span.startMs < at + hourMs && span.endMs > at)
              expected.push({
                ...span,
                startMs: Math.max(at, span.startMs),
                endMs: Math.min(at + hourMs, span.endMs),
              })
          assert.deepEqual([...calendar.spans(at, at + hourMs)], expected)
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('calendar: zone', () => {
  it('Zone offsets equal those of Intl over three years', () => {
    for (const timeZone of [...zones, 'Asia/Gaza', 'Africa/El_Aaiun', 'America/St_Johns', 'Europe/London']) {
      const zone = createZone(timeZone)
      const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
      for (let at = utc('2023-01-01'); at < utc('2026-01-01'); at += 6 * 3_600_000) {
        const offset = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
        assert.equal(zone.offsetMs(at), offsetOf(offset), `${timeZone} ${new Date(at).toISOString()}`)
      }
    }
  })
})

function offsetOf(text: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function assertCover(spans: readonly CalendarSpan[], fromMs: number, toMs: number): void {
  assert.equal(spans[0]?.startMs, fromMs)
  assert.equal(spans.at(-1)?.endMs, toMs)
  for (const [index, { startMs, endMs, cellMs }] of spans.entries()) {
    assert.isBelow(startMs, endMs)
    assert.isAtMost(cellMs, startMs)
    if (index > 0) assert.equal(spans[index - 1]?.endMs, startMs)
  }
}
