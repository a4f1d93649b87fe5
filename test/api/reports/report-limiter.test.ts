import { assert } from 'chai'
import { createReportLimiter } from '../../../api/reports/report-limiter.ts'
import { ApiError } from '../../../schema/errors.ts'

describe('the limit of concurrent reports', () => {
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('it was let through'),
      (error: unknown) => error,
    )

  it('Reports beyond the limit of concurrent reports per company are rejected with a retry time', async () => {
    const limiter = createReportLimiter(2)
    let resolve: (value: string) => void = () => assert.fail('not there yet')
    const promise = new Promise<string>(settle => {
      resolve = settle
    })
    const underWay = [limiter('a', () => promise), limiter('a', () => promise)]
    const refused = await refusal(limiter('a', async () => 'never'))
    assert.instanceOf(refused, ApiError)
    assert.include(refused, { status: 429, code: 'TooManyRequests', retryAfterS: 1 })
    assert.equal(await limiter('b', async () => 'another company'), 'another company')
    resolve('done')
    assert.deepEqual(await Promise.all(underWay), ['done', 'done'])
    assert.equal(await limiter('a', async () => 'again'), 'again')
  })

  it('A failed report no longer counts as concurrent', async () => {
    const limiter = createReportLimiter(1)
    for (let i = 0; i < 3; i++)
      assert.match(String(await refusal(limiter('a', () => Promise.reject(new Error('no'))))), /no/)
    const thrown = await refusal(
      limiter('a', () => {
        throw new Error('at once')
      }),
    )
    assert.match(String(thrown), /at once/)
    assert.equal(await limiter('a', async () => 'free'), 'free')
  })
})
