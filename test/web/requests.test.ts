import { assert } from 'chai'
import { oneAtATime } from '../../web/data/one-at-a-time.ts'
import { RepeatKeys } from '../../web/data/repeat-keys.ts'
import { retryWaitMs } from '../../web/data/retry.ts'

describe('requests of the application', () => {
  it('are asked again where the service is too busy, as late as it says, and not for ever', () => {
    assert.equal(retryWaitMs({ status: 429, retryAfterMs: 2000 }, 0, 0), 2000)
    assert.equal(retryWaitMs({ status: 503, retryAfterMs: 0 }, 0, 0), 1000)
    const spread = [0, 0.5, 1].map(chance => retryWaitMs({ status: 429, retryAfterMs: 1000 }, 1, chance))
    assert.deepEqual(spread, [1000, 2000, 3000])
    assert.isNull(retryWaitMs({ status: 429, retryAfterMs: 1000 }, 4, 0))
    assert.isNull(retryWaitMs({ status: 429, retryAfterMs: 60_000 }, 0, 0))
    for (const status of [0, 400, 401, 409, 500]) assert.isNull(retryWaitMs({ status, retryAfterMs: 1000 }, 0, 0))
  })

  it('keep their key until an answer tells what came of them', () => {
    const keys = new RepeatKeys()
    const first = keys.keyFor('7 rejects')
    assert.match(first, /^[\da-f-]{36}$/)
    assert.equal(keys.keyFor('7 rejects'), first)
    keys.settle(first)
    assert.notEqual(keys.keyFor('7 rejects'), first)
  })

  it('have another key where anything else was sent meanwhile', () => {
    const keys = new RepeatKeys()
    const first = keys.keyFor('reason 1')
    const other = keys.keyFor('reason 2')
    keys.settle(first)
    assert.equal(keys.keyFor('reason 2'), other)
    assert.notInclude([first, other], keys.keyFor('reason 1'))
  })

  it('run one at a time; all who ask meanwhile get one more', async () => {
    const ends: ((error?: Error) => void)[] = []
    const ask = oneAtATime(
      () => new Promise<void>((resolve, reject) => ends.push(error => (error ? reject(error) : resolve()))),
    )
    const first = ask()
    const others = [ask(), ask()]
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
    await Promise.all(others)
    assert.lengthOf(ends, 2)
    const last = ask()
    assert.lengthOf(ends, 3)
    ends[2]?.()
    await last
  })
})
