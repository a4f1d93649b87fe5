import { assert } from 'chai'
import { shiftParts } from '../../web/screens/wall/shift-parts.ts'

describe('the parts of a shift', () => {
  const ofRuns = {
    scheduledTotalParts: 20,
    scheduledRejectedParts: 2,
    scheduledGoalParts: 20,
    scheduledExpectedParts: 25,
  }

  it('Good parts are compared with those that their job runs were expected to make, without parts of a setup', () => {
    assert.deepEqual(shiftParts({ goodParts: 18, ...ofRuns }), { made: 18, expected: 25 })
    assert.deepEqual(shiftParts({ goodParts: 23, ...ofRuns }), { made: 18, expected: 25 })
  })

  it('Parts of job runs without an expected part time have no target', () => {
    const mixed = {
      scheduledTotalParts: 14,
      scheduledRejectedParts: 0,
      scheduledGoalParts: 1,
      scheduledExpectedParts: 1,
    }
    assert.deepEqual(shiftParts({ goodParts: 14, ...mixed }), { made: 14, expected: null })
    assert.deepEqual(shiftParts({ goodParts: 14, scheduledExpectedParts: 0 }), { made: 14, expected: null })
    assert.deepEqual(shiftParts(null), { made: null, expected: null })
  })
})
