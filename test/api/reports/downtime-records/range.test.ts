import { assert } from 'chai'
import { maxDaysOf } from '../../../../api/reports/downtime-records/request.ts'

describe('the maximum range of downtime records', () => {
  it('The maximum range of downtime records is a year for few machines, decreases with their number, and is a month for all', () => {
    assert.deepEqual([0, 1, 50, 100, 590, 5000].map(maxDaysOf), [366, 366, 366, 183, 31, 31])
  })
})
