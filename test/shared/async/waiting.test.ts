import { getEventListeners } from 'node:events'
import { assert } from 'chai'
import { unlessAborted } from '../../../shared/async/waiting.ts'

describe('unlessAborted', () => {
  const failure = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'none',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )

  it('unlessAborted passes the outcome on and leaves no listener', async () => {
    const { signal } = new AbortController()
    assert.equal(await unlessAborted(Promise.resolve(1), signal), 1)
    assert.equal(await failure(unlessAborted(Promise.reject(new Error('no')), signal)), 'no')
    assert.lengthOf(getEventListeners(signal, 'abort'), 0)
  })

  it('unlessAborted rejects as soon as the signal aborts, or if it has aborted before', async () => {
    const abort = new AbortController()
    const waiting = failure(unlessAborted(new Promise(() => undefined), abort.signal))
    abort.abort()
    assert.equal(await waiting, 'Aborted')
    assert.equal(await failure(unlessAborted(Promise.resolve(1), abort.signal)), 'Aborted')
  })
})
