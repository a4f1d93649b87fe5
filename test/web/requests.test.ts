import { assert } from 'chai'
import { oneAtATime } from '../../web/data/one-at-a-time.ts'
import { RepeatKeys } from '../../web/data/repeat-keys.ts'
import { retryWaitMs } from '../../web/data/retry.ts'

describe('requests of the application', () => {
  it('A request to a busy service is retried after the stated time, a limited number of times', () => {
    assert.equal(retryWaitMs({ status: 429, retryAfterMs: 2000 }, 0, 0), 2000)
    assert.equal(retryWaitMs({ status: 503, retryAfterMs: 0 }, 0, 0), 1000)
    const spread = [0, 0.5, 1].map(chance => retryWaitMs({ status: 429, retryAfterMs: 1000 }, 1, chance))
    assert.deepEqual(spread, [1000, 2000, 3000])
    assert.isNull(retryWaitMs({ status: 429, retryAfterMs: 1000 }, 4, 0))
    assert.isNull(retryWaitMs({ status: 429, retryAfterMs: 60_000 }, 0, 0))
    for (const status of [0, 400, 401, 409, 500]) assert.isNull(retryWaitMs({ status, retryAfterMs: 1000 }, 0, 0))
  })

  it('A request keeps its idempotency key until its outcome is known', () => {
    const keys = new RepeatKeys()
    const first = keys.keyFor('7 rejects')
    assert.match(first, /^[\da-f-]{36}$/)
    assert.equal(keys.keyFor('7 rejects'), first)
    keys.settle(first)
    assert.notEqual(keys.keyFor('7 rejects'), first)
  })

  it('A request that differs from the pending one has another idempotency key', () => {
    const keys = new RepeatKeys()
    const first = keys.keyFor('reason 1')
    const other = keys.keyFor('reason 2')
    keys.settle(first)
    assert.equal(keys.keyFor('reason 2'), other)
    assert.notInclude([first, other], keys.keyFor('reason 1'))
  })

  it('Only one call of a combined request runs at a time, and all calls during it share the next', async () => {
    const ends: ((error?: Error) => void)[] = []
    const ask = oneAtATime(
      () => new Promise<void>((resolve, reject) => ends.push(error => (error ? reject(error) : resolve()))),
    )
    const first = ask()
    const waiting = [ask(), ask()]
    assert.lengthOf(ends, 1)
    ends[0]?.(new Error('lost'))
    const error = await first.then(
      () => null,
      (failure: unknown) => failure,
    )
    assert.instanceOf(error, Error)
    await Promise.resolve()
    assert.lengthOf(ends, 2)
    ends[1]?.()
    await Promise.all(waiting)
    assert.lengthOf(ends, 2)
    const last = ask()
    assert.lengthOf(ends, 3)
    ends[2]?.()
    await last
  })
})
