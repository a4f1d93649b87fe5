import { assert } from 'chai'
import { createFormat } from '../../web/texts/format.ts'

describe('the formats of the application', () => {
  it('A duration has hours as its largest unit', () => {
    const format = createFormat('en-US', 'UTC')
    const hourMs = 3_600_000
    assert.deepEqual(
      [0, 42_999, 61_000, hourMs, 47.5 * hourMs, 99.99 * hourMs, 100 * hourMs, 1359.9 * hourMs, 10_000 * hourMs].map(
        ms => format.duration(ms),
      ),
      [
        '0 s',
        '42 s',
        '1 min 01 s',
        '1 h 00 min',
        '47 h 30 min',
        '99 h 59 min',
        '100 h 00 min',
        '1,359 h 54 min',
        '10,000 h',
      ],
    )
  })

  it('A limit of durations has no zero seconds', () => {
    const format = createFormat('en-US', 'UTC')
    assert.deepEqual(
      [0, 30_000, 60_000, 90_000, 120_000, 3_600_000].map(ms => format.limit(ms)),
      ['0 s', '30 s', '1 min', '1 min 30 s', '2 min', '1 h 00 min'],
    )
  })

  it('A duration without seconds is 0 min only if it is zero', () => {
    const format = createFormat('en-US', 'UTC')
    assert.deepEqual(
      [0, 1, 59_999, 60_000, 3_660_000, null].map(ms => format.minutes(ms)),
      ['0 min', '< 1 min', '< 1 min', '1 min', '1 h 01 min', '–'],
    )
  })

  it('A range within a day has its day once', () => {
    const format = createFormat('en-GB', 'Europe/Berlin')
    const fromMs = Date.parse('2026-03-12T08:00:00Z')
    const range = (hours: number) => format.range(fromMs, fromMs + hours * 3_600_000)
    assert.equal(range(6), '12 Mar 2026, 09:00 – 15:00')
    assert.equal(range(24), '12 Mar 2026, 09:00 – 13 Mar 2026, 09:00')
    assert.equal(format.second(fromMs), '12 Mar 2026, 09:00:00')
  })

  for (const language of ['en-US', 'de-DE'])
    it(`Negative numbers in ${language} have a minus sign, not a hyphen`, () => {
      const format = createFormat(language, 'Europe/Berlin')
      const written = [format.count(-3), format.number(-2.5, 1), format.percent(-0.25)]
      for (const text of written) assert.match(text, /^−\d/)
    })

  it('A value that rounds to zero has no minus sign', () => {
    for (const language of ['en-US', 'de-DE']) {
      const format = createFormat(language, 'Europe/Berlin')
      for (const text of [format.count(-0.4), format.number(-0.04, 1), format.percent(-0.0004)])
        assert.match(text, /^0/)
    }
  })
})
