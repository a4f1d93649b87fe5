import { assert } from 'chai'
import { validateSchedule } from '../../../processors/calendar/validate-schedule.ts'
import { createChecker } from '../../../schema/check.ts'
import { scheduleInput } from '../../../schema/records/schedule.ts'
import { runSync } from '../../../shared/async/steps.ts'

const shift = (times: string, days: unknown = [1, 2, 3, 4, 5], changes: object = {}) => {
  const [start, end] = times.split('-')
  return { name: 'A', start, end, days, ...changes }
}
const schedule = (...shifts: object[]) => ({ name: 'Plant', versions: [{ effectiveFrom: null, shifts }] })
const two = (hour: number) => String(hour).padStart(2, '0')
const check = createChecker(scheduleInput)

/** Returns the errors of the schema or, if there are none, those of the rules beyond the schema. */
function faultsOf(payload: unknown): readonly string[] {
  const checked = check(payload)
  const faults = 'value' in checked ? runSync(validateSchedule(checked.value)) : checked.errors
  return faults.map(({ field, code }) => `${field} ${code}`)
}

describe('validateSchedule', () => {
  it('Three adjacent shifts around the clock and adjacent whole days are valid', () => {
    assert.isEmpty(faultsOf(schedule(shift('06:00-14:00'), shift('14:00-22:00'), shift('22:00-06:00'))))
    assert.isEmpty(faultsOf(schedule(shift('00:00-00:00', [1, 2, 3, 4, 5, 6, 7]))))
    assert.isEmpty(faultsOf({ name: 'Empty' }))
    assert.isEmpty(faultsOf({ name: 'Holiday', exceptions: [{ date: '2024-12-25', shifts: [] }] }))
  })

  it('Shifts that overlap past midnight or from Sunday to Monday are rejected', () => {
    assert.deepEqual(faultsOf(schedule(shift('22:00-06:00', [7]), shift('05:59-14:00', [1]))), [
      'versions[0].shifts[1] InvalidRange',
    ])
    assert.deepEqual(faultsOf(schedule(shift('22:00-06:00', [2]), shift('05:59-14:00', [2]))), [])
    assert.deepEqual(faultsOf(schedule(shift('06:00-14:00'), shift('13:00-15:00'))), [
      'versions[0].shifts[1] InvalidRange',
    ])
  })

  it('Overlaps are found within the shifts of an exception, not with the days around it', () => {
    const exception = (...shifts: object[]) => ({ name: 'X', exceptions: [{ date: '2024-01-01', shifts }] })
    const times = (start: string, end: string) => ({ name: 'A', start, end })
    assert.isEmpty(faultsOf(exception(times('20:00', '06:00'), times('05:00', '08:00'))))
    assert.deepEqual(faultsOf(exception(times('20:00', '06:00'), times('23:00', '23:30'))), [
      'exceptions[0].shifts[1] InvalidRange',
    ])
  })

  it('Every field error of a schedule is listed', () => {
    const payload = {
      versions: [
        { effectiveFrom: '2024-02-30', shifts: [shift('24:00-6:00', [0, 1, 1]), 'night'] },
        { effectiveFrom: null, shifts: [shift('06:00-07:00', [1], { id: 'a', optional: 'no' })] },
        { shifts: [shift('08:00-09:00', [1], { id: 'b' }), shift('09:00-10:00', [1], { id: 'b', name: ' ' })] },
      ],
      exceptions: [{ date: '2024-01-01', shifts: {} }, { date: '2024-01-01' }, { shifts: [{}] }],
    }
    assert.deepEqual(faultsOf(payload), [
      'name Required',
      'versions[0].effectiveFrom InvalidDate',
      'versions[0].shifts[0].start InvalidDate',
      'versions[0].shifts[0].end InvalidDate',
      'versions[0].shifts[0].days[0] OutOfRange',
      'versions[0].shifts[1] InvalidType',
      'versions[1].shifts[0].optional InvalidType',
      'versions[2].shifts[1].name InvalidDataItem',
      'exceptions[0].shifts InvalidType',
      'exceptions[2].date Required',
      'exceptions[2].shifts[0].name Required',
      'exceptions[2].shifts[0].start Required',
      'exceptions[2].shifts[0].end Required',
    ])
  })

  it('Every repeated day, id, start and date of a schedule is listed', () => {
    const payload = {
      name: 'Plant',
      versions: [
        { effectiveFrom: '2024-02-01', shifts: [shift('06:00-07:00', [1, 1])] },
        { effectiveFrom: null, shifts: [shift('06:00-07:00', [1], { id: 'a' })] },
        { shifts: [shift('08:00-09:00', [1], { id: 'b' }), shift('09:00-10:00', [1], { id: 'b' })] },
      ],
      exceptions: [{ date: '2024-01-01', shifts: [] }, { date: '2024-01-01' }],
    }
    assert.deepEqual(faultsOf(payload), [
      'versions[0].shifts[0].days InvalidDataItem',
      'versions[2].shifts[1].id InvalidDataItem',
      'versions[2].effectiveFrom InvalidDataItem',
      'exceptions[1].date InvalidDataItem',
    ])
  })

  it('A schedule payload of the wrong type is reported as InvalidType', () => {
    assert.deepEqual(faultsOf([]), ['body InvalidType'])
    assert.deepEqual(faultsOf({ name: 1, versions: 'x', exceptions: 3 }), [
      'name InvalidType',
      'versions InvalidType',
      'exceptions InvalidType',
    ])
  })

  it('More than 200 shifts in a version are rejected', () => {
    const many = Array.from({ length: 201 }, () => shift('06:00-14:00'))
    assert.deepEqual(faultsOf(schedule(...many)), ['versions[0].shifts OutOfRange'])
  })

  it('The number of shifts in all versions and exceptions together is limited', () => {
    const shifts = Array.from({ length: 24 }, (_, hour) =>
      shift(`${two(hour)}:00-${two(hour + 1)}:00`.replace('24:', '00:')),
    )
    const exceptions = (days: number) =>
      Array.from({ length: days }, (_, i) => ({ date: new Date(i * 86_400_000).toISOString().slice(0, 10), shifts }))
    assert.deepEqual(faultsOf({ name: 'S', versions: [], exceptions: exceptions(208) }), [])
    assert.deepEqual(faultsOf({ name: 'S', versions: [], exceptions: exceptions(209) }), ['versions OutOfRange'])
  })
})
