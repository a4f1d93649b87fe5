import { expect } from 'chai'
import { biggestLoss, lossesOf, stepsOf } from '../../web/screens/performance/losses.ts'
import { daysOrTimes, type PeriodChoice, rangeOf, weekBeganToday } from '../../web/time/period.ts'
import { instantOf, wallTime } from '../../web/time/wall-time.ts'
import { createFormat } from '../../web/texts/format.ts'
import { maxPasted, readPasted } from '../../web/screens/settings/parts/pasted.ts'

const rule = { timeZone: 'Europe/Berlin', startOfDay: '06:00', firstDayOfWeek: 1 }
const choice = (period: PeriodChoice['period'], from = '', to = ''): PeriodChoice => ({ period, from, to })

describe('selected periods', () => {
  // Tuesday 10:30 in Berlin.
  const nowMs = Date.parse('2026-03-10T09:30:00Z')

  it('An ongoing period is compared with an equally long part of the previous period', () => {
    expect(rangeOf(choice('today'), rule, nowMs)).to.deep.equal({
      range: { startDay: '2026-03-10', endDay: '2026-03-10' },
      before: { start: '2026-03-09T05:00:00.000Z', end: '2026-03-09T09:30:00.000Z' },
      days: 1,
      isOpen: true,
    })
    expect(rangeOf(choice('week'), rule, nowMs)).to.deep.include({
      range: { startDay: '2026-03-09', endDay: '2026-03-10' },
      before: { start: '2026-03-02T05:00:00.000Z', end: '2026-03-03T09:30:00.000Z' },
    })
    expect(rangeOf(choice('week'), { ...rule, firstDayOfWeek: 7 }, nowMs).range).to.include({ startDay: '2026-03-08' })
  })

  it('A week that started on the current shop date is recognized as such', () => {
    expect(weekBeganToday(rule, nowMs)).to.equal(false)
    expect(weekBeganToday({ ...rule, firstDayOfWeek: 2 }, nowMs)).to.equal(true)
    // Tuesday 05:30 in Berlin has Monday's shop date.
    expect(weekBeganToday(rule, Date.parse('2026-03-10T04:30:00Z'))).to.equal(true)
  })

  it('A completed period is compared with the whole previous period', () => {
    expect(rangeOf(choice('yesterday'), rule, nowMs)).to.deep.include({
      range: { startDay: '2026-03-09', endDay: '2026-03-09' },
      before: { startDay: '2026-03-08', endDay: '2026-03-08' },
      isOpen: false,
    })
    // In any order.
    expect(rangeOf(choice('custom', '2026-02-07', '2026-02-01'), rule, nowMs)).to.deep.include({
      range: { startDay: '2026-02-01', endDay: '2026-02-07' },
      before: { startDay: '2026-01-25', endDay: '2026-01-31' },
    })
  })

  it('A month is compared with the month before it: one in progress up to the same day and time', () => {
    expect(rangeOf(choice('month'), rule, nowMs)).to.deep.equal({
      range: { startDay: '2026-03-01', endDay: '2026-03-10' },
      before: { start: '2026-02-01T05:00:00.000Z', end: '2026-02-10T09:30:00.000Z' },
      days: 31,
      isOpen: true,
    })
    expect(rangeOf(choice('lastMonth'), rule, nowMs)).to.deep.equal({
      range: { startDay: '2026-02-01', endDay: '2026-02-28' },
      before: { startDay: '2026-01-01', endDay: '2026-01-31' },
      days: 28,
      isOpen: false,
    })
  })

  it('The last days of a month are compared with the whole of a shorter month before it', () => {
    expect(rangeOf(choice('month'), rule, Date.parse('2026-03-31T09:30:00Z')).before).to.deep.equal({
      start: '2026-02-01T05:00:00.000Z',
      end: '2026-03-01T05:00:00.000Z',
    })
    // 05:30 in Berlin on 1 January has the shop date of 31 December.
    expect(rangeOf(choice('month'), rule, Date.parse('2026-01-01T04:30:00Z'))).to.deep.include({
      range: { startDay: '2025-12-01', endDay: '2025-12-31' },
      before: { start: '2025-11-01T05:00:00.000Z', end: '2025-12-01T05:00:00.000Z' },
    })
  })

  it('The last 24 hours end at the current minute, and the previous week is a completed period', () => {
    expect(rangeOf(choice('hours24'), rule, nowMs + 12_345)).to.deep.equal({
      range: { start: '2026-03-09T09:31:00.000Z', end: '2026-03-10T09:31:00.000Z' },
      before: { start: '2026-03-08T09:31:00.000Z', end: '2026-03-09T09:31:00.000Z' },
      days: 1,
      isOpen: true,
    })
    expect(rangeOf(choice('lastWeek'), rule, nowMs)).to.deep.equal({
      range: { startDay: '2026-03-02', endDay: '2026-03-08' },
      before: { startDay: '2026-02-23', endDay: '2026-03-01' },
      days: 7,
      isOpen: false,
    })
  })

  it('The current shift, or otherwise the latest, is compared with the same hours of the day before', () => {
    const shift = (name: string, start: string, end: string, days = [1, 2, 3, 4, 5]) => ({
      id: name,
      name,
      start,
      end,
      days,
      optional: false,
    })
    const [early, night] = [shift('Early', '06:00', '14:00'), shift('Night', '22:00', '06:00')]
    const schedules = [
      {
        id: 's',
        name: 'Plant',
        versions: [
          { effectiveFrom: null, shifts: [shift('Old', '00:00', '23:59')] },
          { effectiveFrom: '2026-03-01', shifts: [early, night] },
        ],
        exceptions: [{ date: '2026-03-12', shifts: [shift('Short', '08:00', '10:00')] }],
      },
    ]
    const at = (instant: string) => rangeOf(choice('shift'), { ...rule, schedules }, Date.parse(instant))
    expect(at('2026-03-10T09:30:00Z')).to.deep.equal({
      range: { start: '2026-03-10T05:00:00.000Z', end: '2026-03-10T13:00:00.000Z' },
      before: { start: '2026-03-09T05:00:00.000Z', end: '2026-03-09T09:30:00.000Z' },
      days: 1 / 3,
      isOpen: true,
    })
    // It started on the previous date.
    expect(at('2026-03-11T02:00:00Z').range).to.include({ start: '2026-03-10T21:00:00.000Z' })
    // Between two shifts the previous one counts, on Sunday that of Friday night.
    expect(at('2026-03-10T15:00:00Z')).to.deep.include({
      range: { start: '2026-03-10T05:00:00.000Z', end: '2026-03-10T13:00:00.000Z' },
      isOpen: false,
    })
    expect(at('2026-03-15T12:00:00Z').range).to.include({ end: '2026-03-14T05:00:00.000Z' })
    expect(at('2026-03-12T08:00:00Z').range).to.include({ start: '2026-03-12T07:00:00.000Z' })
    // Without a schedule, the period is today.
    expect(rangeOf(choice('shift'), rule, nowMs).range).to.deep.equal({ startDay: '2026-03-10', endDay: '2026-03-10' })
  })

  it('A shift after a change to daylight saving time is compared with the same local hours of the day before', () => {
    const early = { id: 'e', name: 'Early', start: '06:00', end: '14:00', days: [7], optional: false }
    const schedules = [{ id: 's', name: 'Plant', versions: [{ effectiveFrom: null, shifts: [early] }], exceptions: [] }]
    const { range, before } = rangeOf(choice('shift'), { ...rule, schedules }, Date.parse('2026-03-29T08:30:00Z'))
    expect(range).to.include({ start: '2026-03-29T04:00:00.000Z' })
    expect(before).to.deep.equal({ start: '2026-03-28T05:00:00.000Z', end: '2026-03-28T09:30:00.000Z' })
  })

  it('Before the start of day, today is the previous date', () => {
    expect(rangeOf(choice('today'), rule, Date.parse('2026-03-10T04:30:00Z')).range).to.deep.equal({
      startDay: '2026-03-09',
      endDay: '2026-03-09',
    })
  })

  it('Local times are converted across changes to and from daylight saving time', () => {
    expect(rangeOf(choice('custom', '2026-03-09T14:00', '2026-03-09T15:00'), rule, nowMs)).to.deep.equal({
      range: { start: '2026-03-09T13:00:00.000Z', end: '2026-03-09T14:00:00.000Z' },
      before: { start: '2026-03-09T12:00:00.000Z', end: '2026-03-09T13:00:00.000Z' },
      days: 1 / 24,
      isOpen: false,
    })
    for (const wall of ['2026-03-29T01:59', '2026-03-29T03:00', '2026-10-25T01:30', '2026-10-25T03:30'])
      expect(wallTime(instantOf(wall, rule.timeZone), rule.timeZone)).to.equal(wall)
  })

  it('Of two equal local times the first counts, and a skipped local time is moved forward', () => {
    for (const [timeZone, wall, instant] of [
      ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30Z'],
      ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30Z'],
      ['America/Chicago', '2026-11-01T01:30', '2026-11-01T06:30Z'],
      ['America/Chicago', '2026-03-08T02:15', '2026-03-08T08:15Z'],
      ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45Z'],
      ['Pacific/Kiritimati', '2026-06-01T00:00', '2026-05-31T10:00Z'],
      ['Pacific/Pago_Pago', '2026-06-01T00:00', '2026-06-01T11:00Z'],
    ] as const)
      expect(instantOf(wall, timeZone), `${timeZone} ${wall}`).to.equal(Date.parse(instant))
  })

  it('A selected range becomes its shop days, or exact times if it is shorter than a day', () => {
    const startMs = Date.parse('2026-03-09T04:00:00Z')
    // 05:00 in Berlin is in the previous shop day, which ends at 06:00.
    expect(daysOrTimes(startMs, Date.parse('2026-03-11T05:00:00Z'), rule)).to.deep.equal({
      from: '2026-03-08',
      to: '2026-03-10',
    })
    expect(daysOrTimes(startMs, startMs + 3_600_001, rule)).to.deep.equal({
      from: '2026-03-09T05:00',
      to: '2026-03-09T06:01',
    })
  })

  it('A missing date is formatted as a dash', () => {
    const format = createFormat('en-US', 'UTC')
    expect([format.date('2026-03-09'), format.date('')]).to.deep.equal(['Mar 9, 2026', '–'])
  })
})

describe('a pasted list of machines', () => {
  it('A pasted list with too many machines has one error', () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `Machine ${i}`).join('\n')
    const plant = { machines: [], groups: [], schedules: [] }
    expect(readPasted(list(maxPasted), plant).flatMap(({ problems }) => problems)).to.deep.equal([])
    const rows = readPasted(list(maxPasted + 345), plant)
    expect(rows.flatMap(({ row, problems }) => problems.map(fault => ({ row, ...fault })))).to.deep.equal([
      { row: maxPasted + 1, code: 'tooManyRows', value: String(maxPasted + 345) },
    ])
  })
})

describe('losses', () => {
  const hour = 3_600_000
  // One hour of downtime in setup is also planned.
  const values = {
    allTime: 100 * hour,
    unscheduledTime: 30 * hour,
    setupTime: 5 * hour,
    scheduledTime: 65 * hour,
    scheduledTimeInCycle: 50 * hour,
    downtime: 16 * hour,
    plannedDowntime: 5 * hour,
    unplannedDowntime: 11 * hour,
    performance: 0.9,
    quality: 0.8,
  }

  it('Losses are subtracted from all time until the time of good parts remains', () => {
    expect(lossesOf(values)).to.deep.equal({
      setup: 5 * hour,
      planned: 4 * hour,
      unplanned: 11 * hour,
      speed: 50 * hour * (1 - 0.9),
      quality: 50 * hour * 0.9 * (1 - 0.8),
    })
    const steps = new Map(stepsOf(values).map(({ name, ms, fromMs }) => [name, { ms, fromMs }]))
    expect(steps.get('good')?.ms).to.be.closeTo(50 * hour * 0.9 * 0.8, 1)
    expect(steps.get('unplanned')).to.deep.equal({ ms: 11 * hour, fromMs: 50 * hour })
    expect(biggestLoss(values)).to.equal('unplanned')
  })

  it('Losses without an ideal part time are unknown, and without scheduled time there is no biggest loss', () => {
    const { performance: _, ...rest } = values
    expect(lossesOf(rest)).to.include({ speed: null, quality: null })
    expect(stepsOf(rest).at(-1)).to.deep.include({ name: 'good', ms: null })
    expect(biggestLoss({})).to.equal(null)
  })
})
