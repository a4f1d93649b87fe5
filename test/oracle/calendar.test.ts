import { expect } from 'chai'
import { aSchedule, aShift } from './build.ts'
import { bucketAt, bucketsOver, shiftInstances } from './calendar.ts'
import type { TimeGroup } from './calendar.ts'
import type { Interval } from './types.ts'

const ms = (text: string) => Date.parse(text)
const span = (start: string, end: string): Interval => ({ startMs: ms(start), endMs: ms(end) })
const minutes = (it: Interval) =>
  `${new Date(it.startMs).toISOString().slice(5, 16)} ${(it.endMs - it.startMs) / 60_000}`

describe('oracle: buckets', () => {
  const hours = (timeZone: string, start: string, end: string) =>
    bucketsOver('hour', span(start, end), { timeZone, startOfDay: '00:00', firstDayOfWeek: 1 }).map(minutes)

  it('Hour buckets are full local hours, and the repeated hour in autumn has its own bucket', () => {
    expect(hours('America/New_York', '2025-11-02T04:30Z', '2025-11-02T07:10Z')).to.deep.equal([
      '11-02T04:00 60',
      '11-02T05:00 60',
      '11-02T06:00 60',
      '11-02T07:00 60',
    ])
    expect(hours('Asia/Kolkata', '2025-11-02T00:00Z', '2025-11-02T01:00Z')).to.deep.equal([
      '11-01T23:30 60',
      '11-02T00:30 60',
    ])
  })

  it('An hour bucket ends where the offset changes by half an hour', () => {
    // 2025-04-06 02:00 +11:00 becomes 01:30 +10:30, at 15:00 UTC of the 5th.
    expect(hours('Australia/Lord_Howe', '2025-04-05T14:00Z', '2025-04-05T16:30Z')).to.deep.equal([
      '04-05T14:00 60',
      '04-05T15:00 30',
      '04-05T15:30 60',
    ])
    // 2025-10-05 02:00 +10:30 becomes 02:30 +11:00, at 15:30 UTC of the 4th.
    expect(hours('Australia/Lord_Howe', '2025-10-04T14:30Z', '2025-10-04T16:30Z')).to.deep.equal([
      '10-04T14:30 60',
      '10-04T15:30 30',
      '10-04T16:00 60',
    ])
  })

  it('Days begin at the start of day, and weeks on the first day of the week', () => {
    const clock = { timeZone: 'America/New_York', startOfDay: '06:00', firstDayOfWeek: 7 }
    const bucket = (group: TimeGroup, at: string) => {
      const { startMs, endMs, shopDate } = bucketAt(group, ms(at), clock)
      return [
        new Date(startMs).toISOString().slice(0, 16),
        new Date(endMs).toISOString().slice(0, 16),
        shopDate.toString(),
      ]
    }
    expect(bucket('day', '2025-11-02T10:59Z')).to.deep.equal(['2025-11-01T10:00', '2025-11-02T11:00', '2025-11-01'])
    expect(bucket('day', '2025-11-02T11:00Z')).to.deep.equal(['2025-11-02T11:00', '2025-11-03T11:00', '2025-11-02'])
    expect(bucket('week', '2025-11-02T10:59Z')).to.deep.equal(['2025-10-26T10:00', '2025-11-02T11:00', '2025-10-26'])
    expect(bucket('month', '2025-11-01T09:59Z')).to.deep.equal(['2025-10-01T10:00', '2025-11-01T10:00', '2025-10-01'])
    expect(bucket('quarter', '2025-11-20T00:00Z')).to.deep.equal(['2025-10-01T10:00', '2026-01-01T11:00', '2025-10-01'])
    expect(bucket('hour', '2025-11-02T10:59Z')[2]).to.equal('2025-11-01')
  })
})

describe('oracle: shifts', () => {
  const instances = (schedule: ReturnType<typeof aSchedule>, timeZone: string, over: Interval) =>
    shiftInstances(schedule, over, timeZone)
      .filter(it => it.endMs > over.startMs && it.startMs < over.endMs)
      .map(it => `${it.shift.id} ${minutes(it)}`)

  it('A shift across a clock change has the length that the local clock gives it', () => {
    const schedule = aSchedule([aShift('night', '22:00', '06:00', { days: [6] }), aShift('gap', '02:15', '02:45')])
    const spring = span('2025-03-09T00:00Z', '2025-03-10T00:00Z')
    // 02:15 and 02:45 do not exist: both move to an hour later.
    expect(instances(schedule, 'America/New_York', spring)).to.deep.equal([
      'night 03-09T03:00 420',
      'gap 03-09T07:15 30',
    ])
    const gone = aSchedule([aShift('gone', '02:30', '03:00')])
    expect(instances(gone, 'America/New_York', span('2025-03-09T05:00Z', '2025-03-09T12:00Z'))).to.deep.equal([])
  })

  it('A shift comes from the schedule version in force on the date of its start', () => {
    const day = aShift('day', '06:00', '18:00', { days: [1, 2, 3, 4, 5] })
    const night = aShift('night', '18:00', '06:00')
    const schedule = aSchedule([], {
      versions: [
        { effectiveFrom: '2026-03-04', shifts: [night] },
        { effectiveFrom: '2026-03-02', shifts: [day] },
      ],
      exceptions: [
        { date: '2026-03-03', shifts: [] },
        { date: '2026-03-05', shifts: [aShift('all', '00:00', '00:00')] },
      ],
    })
    expect(instances(schedule, 'UTC', span('2026-03-01T00:00Z', '2026-03-07T00:00Z'))).to.deep.equal([
      'day 03-02T06:00 720',
      'night 03-04T18:00 720',
      'all 03-05T00:00 1440',
      'night 03-06T18:00 720',
    ])
  })
})
