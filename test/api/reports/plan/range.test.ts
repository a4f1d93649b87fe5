import { expect } from 'chai'
import { createCalendar } from '../../../../processors/calendar/calendar.ts'
import { clampRange } from '../../../../api/reports/plan/plan.ts'
import { splitRange } from '../../../../api/reports/sources/sources.ts'

const at = (text: string) => Date.parse(text)
const iso = ({ startMs, endMs }: { startMs: number; endMs: number }) => [
  new Date(startMs).toISOString(),
  new Date(endMs).toISOString(),
]

describe('clampRange', () => {
  const calendar = createCalendar({ timeZone: 'Europe/Berlin', startOfDay: '06:00', firstDayOfWeek: 1 }, null)
  const nowMs = at('2026-04-10T12:00:00Z')
  const instants = (start: string, end: string) => ({ form: 'instants', startMs: at(start), endMs: at(end) }) as const

  it('A past range of a report is unchanged', () => {
    const used = clampRange(instants('2026-03-01T00:00:00.001Z', '2026-03-02T00:00:00Z'), {
      calendar,
      nowMs,
      byHour: false,
    })
    expect(iso(used)).to.deep.equal(['2026-03-01T00:00:00.001Z', '2026-03-02T00:00:00.000Z'])
  })

  it('A range of a report that reaches into the future ends now', () => {
    const used = clampRange(instants('2026-04-10T00:00:00Z', '2027-01-01T00:00:00Z'), {
      calendar,
      nowMs,
      byHour: false,
    })
    expect(iso(used)).to.deep.equal(['2026-04-10T00:00:00.000Z', '2026-04-10T12:00:00.000Z'])
  })

  it('A future range of a report is empty at now', () => {
    const used = clampRange(instants('2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'), { calendar, nowMs, byHour: true })
    expect(used).to.deep.equal({ startMs: nowMs, endMs: nowMs })
  })

  it('A range of a report starts late enough that none of its buckets starts before 1970, in every time zone', () => {
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Niue', 'America/New_York', 'UTC'])
      for (const startOfDay of ['00:00', '23:59']) {
        const calendar = createCalendar({ timeZone, startOfDay, firstDayOfWeek: 1 }, null)
        const asked = { form: 'days', startDay: '1970-01-01', endDay: '1970-12-31' } as const
        for (const byHour of [true, false]) {
          const { startMs, endMs } = clampRange(asked, { calendar, nowMs, byHour })
          for (const unit of ['hour', 'day', 'week', 'month', 'quarter'] as const)
            expect(calendar.bucketsOf(unit, startMs, endMs)[0]?.startMs).to.be.at.least(0)
        }
        const before = { ...asked, endDay: '1970-01-02' }
        const { startMs, endMs } = clampRange(before, { calendar, nowMs, byHour: false })
        expect(startMs).to.equal(endMs)
      }
  })

  it('A range of dates covers the shop days of both dates, across a change to daylight saving time', () => {
    const used = clampRange(
      { form: 'days', startDay: '2026-03-28', endDay: '2026-03-29' },
      { calendar, nowMs, byHour: false },
    )
    expect(iso(used)).to.deep.equal(['2026-03-28T05:00:00.000Z', '2026-03-30T04:00:00.000Z'])
  })

  it('A range of a report by hour starts at most seven dates earlier, at the same local time', () => {
    const asked = instants('2026-01-01T00:00:00Z', '2026-04-01T12:00:00Z')
    expect(iso(clampRange(asked, { calendar, nowMs, byHour: true }))).to.deep.equal([
      // 14:00 in Berlin at both ends: daylight saving time began between them.
      '2026-03-25T13:00:00.000Z',
      '2026-04-01T12:00:00.000Z',
    ])
  })
})

describe('splitRange', () => {
  const split = (start: string, end: string, ...days: readonly (readonly [string, string])[]) => {
    const ranges = days.map(([from, to]) => ({ startMs: at(from), endMs: at(to) }))
    const { whole, cut } = splitRange({ startMs: at(start), endMs: at(end) }, ranges)
    return { whole: whole.map(iso), cut: cut.map(iso) }
  }

  it('A range from full hour to full hour has no cut part', () => {
    expect(split('2026-03-01T00:00:00Z', '2026-03-01T02:00:00Z')).to.deep.equal({
      whole: [['2026-03-01T00:00:00.000Z', '2026-03-01T02:00:00.000Z']],
      cut: [],
    })
  })

  it('A range that starts and ends within hours has two cut parts', () => {
    expect(split('2026-03-01T00:30:00Z', '2026-03-01T02:00:00.001Z')).to.deep.equal({
      whole: [['2026-03-01T01:00:00.000Z', '2026-03-01T02:00:00.000Z']],
      cut: [
        ['2026-03-01T00:30:00.000Z', '2026-03-01T01:00:00.000Z'],
        ['2026-03-01T02:00:00.000Z', '2026-03-01T02:00:00.001Z'],
      ],
    })
  })

  it('A range without a whole hour is one cut part', () => {
    expect(split('2026-03-01T00:30:00Z', '2026-03-01T01:30:00Z')).to.deep.equal({
      whole: [],
      cut: [['2026-03-01T00:30:00.000Z', '2026-03-01T01:30:00.000Z']],
    })
  })

  it('An empty range has no parts', () => {
    expect(split('2026-03-01T00:30:00Z', '2026-03-01T00:30:00Z')).to.deep.equal({ whole: [], cut: [] })
  })

  it('A split range has parts before, between and after its whole days', () => {
    const days = [
      ['2026-03-02T06:00:00Z', '2026-03-03T06:00:00Z'],
      ['2026-03-04T06:00:00Z', '2026-03-05T06:00:00Z'],
    ] as const
    expect(split('2026-03-02T05:30:00Z', '2026-03-05T07:15:00Z', ...days)).to.deep.equal({
      whole: [
        ['2026-03-03T06:00:00.000Z', '2026-03-04T06:00:00.000Z'],
        ['2026-03-05T06:00:00.000Z', '2026-03-05T07:00:00.000Z'],
      ],
      cut: [
        ['2026-03-02T05:30:00.000Z', '2026-03-02T06:00:00.000Z'],
        ['2026-03-05T07:00:00.000Z', '2026-03-05T07:15:00.000Z'],
      ],
    })
    expect(split('2026-03-02T06:00:00Z', '2026-03-03T06:00:00Z', days[0])).to.deep.equal({ whole: [], cut: [] })
  })

  it('An hour that contains the start of a shop day counts as whole, since its cells separate the days', () => {
    expect(
      split('2026-03-01T18:10:00Z', '2026-03-04T19:00:00Z', ['2026-03-02T18:30:00Z', '2026-03-03T18:30:00Z']),
    ).to.deep.equal({
      whole: [
        ['2026-03-01T19:00:00.000Z', '2026-03-02T18:30:00.000Z'],
        ['2026-03-03T18:30:00.000Z', '2026-03-04T19:00:00.000Z'],
      ],
      cut: [['2026-03-01T18:10:00.000Z', '2026-03-01T19:00:00.000Z']],
    })
    expect(
      split('2026-03-02T18:10:00Z', '2026-03-03T18:45:00Z', ['2026-03-02T18:30:00Z', '2026-03-03T18:30:00Z']),
    ).to.deep.equal({
      whole: [],
      cut: [
        ['2026-03-02T18:10:00.000Z', '2026-03-02T18:30:00.000Z'],
        ['2026-03-03T18:30:00.000Z', '2026-03-03T18:45:00.000Z'],
      ],
    })
  })
})
