import { assert } from 'chai'
import * as fc from 'fast-check'
import { timestampText } from '../../../ingest/shdr/timestamps.ts'
import { parseInstantUs } from '../../../shared/time/instant.ts'

describe('timestamps of samples', () => {
  it('A time has six decimals, and is read as the same time, whatever time was written before', () => {
    const near = fc.integer({ min: 1_795_420_740_000_000, max: 1_795_420_860_000_000 })
    const any = fc.maxSafeInteger()
    const check = fc.property(fc.array(fc.oneof(near, any), { minLength: 1, maxLength: 10 }), times => {
      for (const atUs of times) {
        const text = timestampText(atUs)
        const ms = Math.floor(atUs / 1000)
        const us = String(atUs - ms * 1000).padStart(3, '0')
        assert.equal(text, new Date(ms).toISOString().replace('Z', `${us}Z`))
        assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
        if (atUs >= 0) assert.equal(parseInstantUs(text), atUs)
      }
    })
    fc.assert(check, { numRuns: 2_000 })
  })

  it('The borders of a minute belong to the next one', () => {
    const minuteUs = 1_795_420_800_000_000
    assert.deepEqual([minuteUs - 1, minuteUs, minuteUs + 59_999_999, minuteUs + 60_000_000].map(timestampText), [
      '2026-11-23T07:59:59.999999Z',
      '2026-11-23T08:00:00.000000Z',
      '2026-11-23T08:00:59.999999Z',
      '2026-11-23T08:01:00.000000Z',
    ])
  })
})
