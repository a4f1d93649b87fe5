import { assert } from 'chai'
import { type CalendarSettings, createCalendar } from '../../../processors/calendar/calendar.ts'
import type { CalendarSpan } from '../../../processors/calendar/types.ts'
import type { ScheduleRecord } from '../../../schema/records/schedule.ts'
import { aSchedule, aShift, iso, utc } from './schedules.ts'
import { hourMs } from '../../../shared/time/units.ts'

function settings(timeZone: string, startOfDay = '00:00', firstDayOfWeek = 1): CalendarSettings {
  return { timeZone, startOfDay, firstDayOfWeek }
}

describe('calendar: shop days', () => {
  it('Shop days in New York last 23 and 25 hours when the clocks change', () => {
    const { shopDayBounds } = createCalendar(settings('America/New_York', '06:00'), null)
    const lengthH = (date: string) => (shopDayBounds(date).endMs - shopDayBounds(date).startMs) / hourMs
    assert.deepEqual(['2024-03-08', '2024-03-09', '2024-03-10'].map(lengthH), [24, 23, 24])
    assert.deepEqual(['2024-11-01', '2024-11-02', '2024-11-03'].map(lengthH), [24, 25, 24])
    assert.equal(iso(shopDayBounds('2024-03-09').endMs), '2024-03-10T10:00:00.000Z')
  })

  it('Shop days on Lord Howe Island last 23.5 and 24.5 hours when the clocks change', () => {
    const { shopDayBounds } = createCalendar(settings('Australia/Lord_Howe'), null)
    const lengthH = (date: string) => (shopDayBounds(date).endMs - shopDayBounds(date).startMs) / hourMs
    assert.deepEqual(['2024-04-07', '2024-10-06'].map(lengthH), [24.5, 23.5])
  })

  it('A shop day begins at the local start of day, also in a zone with a half-hour offset', () => {
    const { shopDate, shopDayBounds } = createCalendar(settings('Asia/Kolkata', '05:30'), null)
    assert.equal(iso(shopDayBounds('2024-05-02').startMs), '2024-05-02T00:00:00.000Z')
    assert.equal(shopDate(utc('2024-05-01T23:59:59.999Z')), '2024-05-01')
    assert.equal(shopDate(utc('2024-05-02T00:00:00Z')), '2024-05-02')
  })

  it('A start of day in the spring gap begins after the gap; an ambiguous one begins at its first occurrence', () => {
    const { shopDayBounds } = createCalendar(settings('America/New_York', '02:30'), null)
    assert.equal(iso(shopDayBounds('2024-03-10').startMs), '2024-03-10T07:30:00.000Z')
    const autumn = createCalendar(settings('America/New_York', '01:30'), null)
    assert.equal(iso(autumn.shopDayBounds('2024-11-03').startMs), '2024-11-03T05:30:00.000Z')
  })

  it('The date that Samoa skipped is a shop day of length zero and has no bucket', () => {
    const { shopDayBounds, shopDate, bucketsOf } = createCalendar(settings('Pacific/Apia'), null)
    const { startMs, endMs } = shopDayBounds('2011-12-30')
    assert.equal(startMs, endMs)
    assert.equal(shopDate(startMs), '2011-12-31')
    const days = bucketsOf('day', utc('2011-12-29T12:00:00Z'), utc('2012-01-01T00:00:00Z'))
    assert.deepEqual(
      days.map(({ shopDate }) => shopDate),
      ['2011-12-29', '2011-12-31', '2012-01-01'],
    )
  })

  it('A day range includes its first and its last day', () => {
    const { dayRange } = createCalendar(settings('America/New_York', '06:00'), null)
    const { startMs, endMs } = dayRange('2024-03-09', '2024-03-10')
    assert.deepEqual([iso(startMs), iso(endMs)], ['2024-03-09T11:00:00.000Z', '2024-03-11T10:00:00.000Z'])
  })

  it('An invalid date or time zone throws a RangeError', () => {
    const { dayRange } = createCalendar(settings('UTC'), null)
    assert.throws(() => dayRange('2024-02-30', '2024-03-01'), RangeError)
    assert.throws(() => createCalendar(settings('Mars/Olympus'), null), RangeError)
  })
})

describe('calendar: buckets', () => {
  const newYork = createCalendar(settings('America/New_York', '06:00', 7), null)

  it('The repeated hour in autumn has a bucket of its own', () => {
    const hours = newYork.bucketsOf('hour', utc('2024-11-03T04:30:00Z'), utc('2024-11-03T07:00:00Z'))
    assert.deepEqual(
      hours.map(({ startMs, endMs, shopDate }) => [iso(startMs).slice(11, 16), (endMs - startMs) / hourMs, shopDate]),
      [
        ['04:00', 1, '2024-11-02'],
        ['05:00', 1, '2024-11-02'],
        ['06:00', 1, '2024-11-02'],
      ],
    )
  })

  it('A clock change of half an hour makes half-hour buckets', () => {
    const lordHowe = createCalendar(settings('Australia/Lord_Howe'), null)
    const autumn = lordHowe.bucketsOf('hour', utc('2024-04-06T14:00:00Z'), utc('2024-04-06T16:30:00Z'))
    // 01:00-02:00 at +11:00, then 01:30-02:00 at +10:30.
    assert.deepEqual(
      autumn.map(({ startMs }) => iso(startMs).slice(11, 16)),
      ['14:00', '15:00', '15:30'],
    )
    const spring = lordHowe.bucketsOf('hour', utc('2024-10-05T14:30:00Z'), utc('2024-10-05T17:00:00Z'))
    // 01:00-02:00 at +10:30, then 02:30-03:00 at +11:00.
    assert.deepEqual(
      spring.map(({ startMs }) => iso(startMs).slice(11, 16)),
      ['14:30', '15:30', '16:00'],
    )
  })

  it('Weeks, months and quarters consist of whole shop days', () => {
    const at = utc('2024-03-14T12:00:00Z')
    const bounds = (unit: 'week' | 'month' | 'quarter') =>
      newYork.bucketsOf(unit, at, at + 1).map(({ startMs, endMs, shopDate }) => [iso(startMs), iso(endMs), shopDate])
    assert.deepEqual(bounds('week'), [['2024-03-10T10:00:00.000Z', '2024-03-17T10:00:00.000Z', '2024-03-10']])
    assert.deepEqual(bounds('month'), [['2024-03-01T11:00:00.000Z', '2024-04-01T10:00:00.000Z', '2024-03-01']])
    assert.deepEqual(bounds('quarter'), [['2024-01-01T11:00:00.000Z', '2024-04-01T10:00:00.000Z', '2024-01-01']])
  })

  it('Weeks begin on the configured first day of the week', () => {
    const at = utc('2024-03-13T12:00:00Z') // a Wednesday
    const first = (firstDayOfWeek: number) =>
      createCalendar(settings('UTC', '00:00', firstDayOfWeek), null).bucketsOf('week', at, at + 1)[0]?.shopDate
    assert.deepEqual([1, 3, 4, 7].map(first), ['2024-03-11', '2024-03-13', '2024-03-07', '2024-03-10'])
  })

  it('All buckets that overlap a range are returned, and none for an empty range', () => {
    assert.lengthOf(newYork.bucketsOf('day', utc('2024-03-09T11:00:00Z'), utc('2024-03-11T10:00:00Z')), 2)
    assert.lengthOf(newYork.bucketsOf('day', utc('2024-03-09T10:59:59Z'), utc('2024-03-11T10:00:00.001Z')), 4)
    assert.lengthOf(newYork.bucketsOf('month', utc('2023-12-15T00:00:00Z'), utc('2025-01-15T00:00:00Z')), 14)
    assert.isEmpty(newYork.bucketsOf('hour', 0, 0))
    assert.isEmpty(newYork.bucketsOf('week', 0, 0))
  })

  it('sameLocalTimeDatesBefore goes back by dates and keeps the local time', () => {
    const { sameLocalTimeDatesBefore } = createCalendar(settings('America/New_York'), null)
    assert.equal(iso(sameLocalTimeDatesBefore(utc('2024-03-12T16:00:00Z'), 7)), '2024-03-05T17:00:00.000Z')
    // Local time 02:30 seven days earlier lies in the gap of the clock change.
    assert.equal(iso(sameLocalTimeDatesBefore(utc('2024-03-17T06:30:00Z'), 7)), '2024-03-10T07:30:00.000Z')
  })
})

describe('calendar: spans', () => {
  const shifts = (timeZone: string, schedule: ScheduleRecord | null, from: string, to: string, startOfDay = '00:00') =>
    squeeze(createCalendar(settings(timeZone, startOfDay), schedule).spans(utc(from), utc(to)))

  it('Without a schedule, every local hour is a span of non-optional time', () => {
    const spans = createCalendar(settings('Asia/Kolkata', '05:45'), null).spans(0, 2 * hourMs)
    assert.deepEqual(spans.map(describeSpan), [
      // The time is 05:30 local; its cell began at 05:00.
      '00:00-00:15 cell 23:30 shift 0 non-optional',
      '00:15-00:30 cell 00:15 shift 0 non-optional',
      '00:30-01:30 cell 00:30 shift 0 non-optional',
      '01:30-02:00 cell 01:30 shift 0 non-optional',
    ])
  })

  it('A night shift spans both clock changes', () => {
    const night = aSchedule([aShift(7, '22:00-06:00')])
    assert.deepEqual(shifts('America/New_York', night, '2024-03-10T00:00Z', '2024-03-10T13:00Z'), [
      '2024-03-10T00:00 0',
      '2024-03-10T03:00 7 non-optional',
      '2024-03-10T10:00 0',
    ])
    assert.deepEqual(shifts('America/New_York', night, '2024-11-03T00:00Z', '2024-11-03T13:00Z'), [
      '2024-11-03T00:00 0',
      '2024-11-03T02:00 7 non-optional',
      '2024-11-03T11:00 0',
    ])
  })

  it('A shift from 00:00 to 00:00 covers the whole day', () => {
    const weekend = aSchedule([aShift(3, '00:00-00:00', { days: [6], optional: true })])
    assert.deepEqual(shifts('UTC', weekend, '2024-05-03T00:00Z', '2024-05-06T00:00Z'), [
      '2024-05-03T00:00 0',
      '2024-05-04T00:00 3 optional',
      '2024-05-05T00:00 0',
    ])
  })

  it('A holiday has no shifts, but the night shift before it ends at its own time', () => {
    const schedule = aSchedule([aShift(1, '06:00-14:00'), aShift(2, '22:00-06:00')], {
      exceptions: [{ date: '2024-12-25', shifts: [] }],
    })
    assert.deepEqual(shifts('UTC', schedule, '2024-12-24T20:00Z', '2024-12-26T08:00Z'), [
      '2024-12-24T20:00 0',
      '2024-12-24T22:00 2 non-optional',
      '2024-12-25T06:00 0',
      '2024-12-26T06:00 1 non-optional',
    ])
  })

  it('A new schedule version does not change the time before it takes effect', () => {
    const schedule = aSchedule([], {
      versions: [
        { effectiveFrom: '2024-06-03', shifts: [aShift(2, '08:00-16:00')] },
        { effectiveFrom: '2024-06-01', shifts: [aShift(1, '20:00-12:00')] },
      ],
    })
    // No version is in force before the first one: around the clock. The last night shift of the old version ends at its own time, but
    // the new shift started later and takes precedence.
    assert.deepEqual(shifts('UTC', schedule, '2024-05-31T12:00Z', '2024-06-04T00:00Z'), [
      '2024-05-31T12:00 0 non-optional',
      '2024-06-01T00:00 0',
      '2024-06-01T20:00 1 non-optional',
      '2024-06-02T12:00 0',
      '2024-06-02T20:00 1 non-optional',
      '2024-06-03T08:00 2 non-optional',
      '2024-06-03T16:00 0',
    ])
  })

  it('An earlier shift resumes when a shift that started later ends first', () => {
    const schedule = aSchedule([aShift(1, '18:00-10:00', { days: [1] })], {
      exceptions: [{ date: '2024-06-04', shifts: [aShift(2, '02:00-04:00', { optional: true })] }],
    })
    assert.deepEqual(shifts('UTC', schedule, '2024-06-03T18:00Z', '2024-06-04T12:00Z'), [
      '2024-06-03T18:00 1 non-optional',
      '2024-06-04T02:00 2 optional',
      '2024-06-04T04:00 1 non-optional',
      '2024-06-04T10:00 0',
    ])
  })

  it('Of two shifts that start together because of the spring gap, the later in the list applies; a shift of length zero is dropped', () => {
    const schedule = aSchedule([aShift(1, '02:00-04:00'), aShift(2, '03:00-05:00')], {
      exceptions: [{ date: '2024-03-11', shifts: [] }],
    })
    assert.deepEqual(shifts('America/New_York', schedule, '2024-03-10T06:00Z', '2024-03-10T10:00Z'), [
      '2024-03-10T06:00 0',
      '2024-03-10T07:00 2 non-optional',
      '2024-03-10T09:00 0',
    ])
    const gone = aSchedule([aShift(1, '02:30-03:30', { days: [7] })])
    assert.deepEqual(shifts('America/New_York', gone, '2024-03-10T06:00Z', '2024-03-10T10:00Z'), ['2024-03-10T06:00 0'])
  })

  it('Schedule versions take effect at local midnight, independently of the start of day', () => {
    const schedule = aSchedule([], { versions: [{ effectiveFrom: '2024-06-01', shifts: [] }] })
    assert.deepEqual(shifts('America/New_York', schedule, '2024-06-01T00:00Z', '2024-06-01T12:00Z', '06:00'), [
      '2024-06-01T00:00 0 non-optional',
      '2024-06-01T04:00 0',
    ])
  })

  it('The first span of a range that begins within a cell has the start of that cell', () => {
    const calendar = createCalendar(settings('UTC', '06:20'), aSchedule([aShift(1, '06:40-14:00')]))
    assert.deepEqual(calendar.spans(6.5 * hourMs, 7.25 * hourMs).map(describeSpan), [
      '06:30-06:40 cell 06:20 shift 0',
      '06:40-07:00 cell 06:20 shift 1 non-optional',
      '07:00-07:15 cell 07:00 shift 1 non-optional',
    ])
  })

  it('Spans are not cut at UTC midnight', () => {
    const spans = createCalendar(settings('Asia/Kolkata'), null).spans(23 * hourMs, 25 * hourMs)
    assert.deepEqual(spans.map(describeSpan), [
      '23:00-23:30 cell 22:30 shift 0 non-optional',
      '23:30-00:30 cell 23:30 shift 0 non-optional',
      '00:30-01:00 cell 00:30 shift 0 non-optional',
    ])
  })

  it('Repeated calls for an hour return the same objects', () => {
    const calendar = createCalendar(settings('Europe/Berlin'), null)
    assert.strictEqual(calendar.spans(0, hourMs), calendar.spans(0, hourMs))
  })

  it('Spans are correct after more days were requested than the cache can contain', () => {
    const calendar = createCalendar(settings('Europe/Berlin'), null)
    const first = calendar.spans(0, hourMs)
    for (let day = 0; day < 1100; day++) calendar.spans(day * 24 * hourMs, day * 24 * hourMs + hourMs)
    assert.deepEqual(calendar.spans(0, hourMs), first)
  })
})

function describeSpan({ startMs, endMs, cellMs, shift, optional, nonOptional }: CalendarSpan): string {
  const [start, end, cell] = [startMs, endMs, cellMs].map(at => iso(at).slice(11, 16))
  return `${start}-${end} cell ${cell} shift ${shift}${optional ? ' optional' : ''}${nonOptional ? ' non-optional' : ''}`
}

/** Joins cells: lists the instants at which the shift or its kind changes, and what applies from there. */
function squeeze(spans: readonly CalendarSpan[]): string[] {
  const changes: { at: string; what: string }[] = []
  for (const { startMs, shift, optional, nonOptional } of spans) {
    const what = `${shift}${optional ? ' optional' : ''}${nonOptional ? ' non-optional' : ''}`
    if (changes.at(-1)?.what !== what) changes.push({ at: iso(startMs).slice(0, 16), what })
  }
  return changes.map(({ at, what }) => `${at} ${what}`)
}
