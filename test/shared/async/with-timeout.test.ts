import { expect } from 'chai'
import { getEventListeners } from 'node:events'
import { stat } from 'node:fs/promises'
import { withTimeout } from '../../../shared/async/with-timeout.ts'

const longMs = 600_000
const hanging = new Promise<string>(() => undefined)

function timers(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
}

describe('withTimeout', () => {
  it('withTimeout passes on the outcome of work that ends in time, and leaves no timer', async () => {
    const isLate = () => expect.fail('not late')
    await withTimeout(longMs, Promise.resolve('first'), isLate)
    const before = timers()
    expect(await withTimeout(longMs, Promise.resolve('done'), isLate)).to.equal('done')
    const failure = new Error('failed')
    const failed = await withTimeout(longMs, Promise.reject(failure), isLate).catch((error: unknown) => error)
    expect(failed).to.equal(failure)
    expect(timers()).to.equal(before)
  })

  it('For late work, withTimeout returns the result of the callback, or throws its error', async () => {
    expect(await withTimeout(1, hanging, () => 'late')).to.equal('late')
    const late = new Error('late')
    const thrown = await withTimeout(1, hanging, () => {
      throw late
    }).catch((error: unknown) => error)
    expect(thrown).to.equal(late)
  })

  it('withTimeout treats work as late as soon as the signal aborts', async () => {
    const stopping = new AbortController()
    const waiting = withTimeout(longMs, hanging, () => 'late', { signal: stopping.signal })
    stopping.abort()
    expect(await waiting).to.equal('late')
    expect(await withTimeout(longMs, hanging, () => 'late', { signal: stopping.signal })).to.equal('late')
  })

  it('withTimeout passes on the outcome of work that ended while the process was blocked, although the time is over', async () => {
    // A thread reads the file while the process is blocked, so the time limit is over before the outcome can be
    // delivered.
    const work = stat(process.execPath).then(found => found.isFile())
    const waiting = withTimeout(20, work, () => 'late')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    expect(await waiting).to.equal(true)
  })

  it('withTimeout leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    await withTimeout(longMs, Promise.resolve('done'), () => 'late', { signal })
    await withTimeout(1, hanging, () => 'late', { signal })
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })

  it('withTimeout ignores a late failure of abandoned work', async () => {
    let fail: (error: Error) => void = () => undefined
    const work = new Promise<never>((_, reject) => (fail = reject))
    expect(await withTimeout(1, work, () => 'late')).to.equal('late')
    fail(new Error('unheard'))
    await new Promise(resolve => setImmediate(resolve))
  })
})
