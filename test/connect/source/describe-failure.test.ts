import { assert } from 'chai'
import { describeFailure } from '../../../connect/source/describe-failure.ts'

describe('failures of connections', () => {
  it('Are described in words, with the message of the error', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5000'), { code: 'ECONNREFUSED' })
    assert.equal(
      describeFailure(refused),
      'nothing accepts connections at this address (connect ECONNREFUSED 10.0.0.7:5000)',
    )
    const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    assert.equal(describeFailure(aborted), 'the connection was lost (aborted)')
  })

  it('Without a known code are described by their message', () => {
    assert.equal(describeFailure(new Error('it disconnects (code 141)')), 'it disconnects (code 141)')
    assert.equal(describeFailure('closed'), 'closed')
  })
})
