import { assert } from 'chai'
import { nameOf } from '../../../api/files/file-name.ts'

describe('names of report files', () => {
  it('The name of a file has the first and the last shop day of its report, a single one once', () => {
    const days = (startDay: string, endDay: string) =>
      nameOf('downtime', { form: 'days', startDay, endDay }, 'America/Chicago')
    assert.equal(days('2026-03-02', '2026-03-08'), 'downtime_2026-03-02_2026-03-08')
    assert.equal(days('2026-03-02', '2026-03-02'), 'downtime_2026-03-02')
  })

  it('The name of a file has the instants of its report in the time zone, also across a change to daylight saving time', () => {
    const instants = (start: string, end: string, timeZone: string) =>
      nameOf('alarm/instances', { form: 'instants', startMs: Date.parse(start), endMs: Date.parse(end) }, timeZone)
    assert.equal(
      instants('2026-03-08T07:30:00Z', '2026-03-08T08:30:59.999Z', 'America/Chicago'),
      'alarm-instances_2026-03-08-0130_2026-03-08-0330',
    )
    assert.equal(
      instants('2026-03-08T20:00:00Z', '2026-03-08T20:00:30Z', 'Asia/Kathmandu'),
      'alarm-instances_2026-03-09-0145',
    )
  })
})
