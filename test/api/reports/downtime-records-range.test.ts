import { assert } from 'chai'
import { mostDaysOf } from '../../../api/reports/downtime-records/request.ts'

describe('the longest range of downtime records', () => {
  it('is a year for a few machines, shorter the more there are, and a month for all', () => {
    assert.deepEqual([0, 1, 50, 100, 590, 5000].map(mostDaysOf), [366, 366, 366, 183, 31, 31])
  })
})
