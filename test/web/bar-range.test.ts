import { assert } from 'chai'
import { barRange, barRangeText } from '../../web/screens/floor/bar-range.ts'
import { en } from '../../web/texts/en.ts'
import { createFormat } from '../../web/texts/format.ts'

const timeZone = 'Europe/Berlin'
const locale = { t: en, format: createFormat('en-GB', timeZone) }

function shift(name: string, start: string, end: string) {
  return { id: name, name, start, end, days: [1, 2, 3, 4, 5], optional: false }
}

const shifts = [shift('Early', '06:00', '14:00'), shift('Late', '14:00', '22:00')]
const plant = { id: 's', name: 'Plant', versions: [{ effectiveFrom: null, shifts }], exceptions: [] }

describe('the range of the bars of tiles', () => {
  const at = (instant: string, schedules = [plant]) => {
    const range = barRange(schedules, timeZone, Date.parse(instant))
    const [start, end] = [range.startMs, range.endMs].map(ms => new Date(ms).toISOString().slice(0, 16))
    return [start, end, barRangeText(range, locale)]
  }

  it('In a shift, the range begins with the shift and ends now', () => {
    // Tuesday; Berlin is an hour ahead of UTC.
    assert.deepEqual(at('2026-03-10T14:00:00Z'), ['2026-03-10T13:00', '2026-03-10T14:00', 'Since 14:00'])
    assert.deepEqual(at('2026-03-10T20:59:00Z'), ['2026-03-10T13:00', '2026-03-10T20:59', 'Since 14:00'])
  })

  it('In the first hour of a shift, the range is the last 8 hours', () => {
    assert.deepEqual(at('2026-03-10T13:00:00Z'), ['2026-03-10T05:00', '2026-03-10T13:00', 'Last 8 hours'])
    assert.deepEqual(at('2026-03-10T13:59:00Z'), ['2026-03-10T05:59', '2026-03-10T13:59', 'Last 8 hours'])
  })

  it('Outside of a shift, the range is the whole last shift', () => {
    const late = ['2026-03-13T13:00', '2026-03-13T21:00', 'Last shift, 14:00 to 22:00']
    assert.deepEqual(at('2026-03-13T21:00:00Z'), late)
    // Sunday.
    assert.deepEqual(at('2026-03-15T12:00:00Z'), late)
  })

  it('Without shifts, the range is the last 8 hours', () => {
    const expected = ['2026-03-10T06:00', '2026-03-10T14:00', 'Last 8 hours']
    assert.deepEqual(at('2026-03-10T14:00:00Z', []), expected)
    assert.deepEqual(
      at('2026-03-10T14:00:00Z', [{ ...plant, versions: [{ effectiveFrom: null, shifts: [] }] }]),
      expected,
    )
  })
})
