import { expect } from 'chai'
import { retryUntilAborted, retry, waitUntil } from '../../../shared/async/retry.ts'

const quick = { firstDelayMs: 1, maxDelayMs: 2 } as const

/** Fails the given number of times, then returns the number of calls. */
function failing(times: number): () => Promise<number> {
  let calls = 0
  return async () => {
    calls++
    if (calls <= times) throw new Error(`failure ${calls}`)
    return calls
  }
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('retry', () => {
  it('A call is retried until it succeeds, and each failure is reported', async () => {
    const told: string[] = []
    const onRetry = (error: unknown, attempt: number) => told.push(`${String(error)} at ${attempt}`)
    expect(await retry(failing(2), { ...quick, onRetry })).to.equal(3)
    expect(told).to.deep.equal(['Error: failure 1 at 1', 'Error: failure 2 at 2'])
  })

  it('A final error is not retried', async () => {
    const isFinal = (error: unknown) => String(error).endsWith('2')
    expect(await thrownBy(retry(failing(9), { ...quick, isFinal }))).to.have.property('message', 'failure 2')
  })

  it('A call is retried at most maxRepeats times', async () => {
    expect(await thrownBy(retry(failing(9), { ...quick, maxRepeats: 3 }))).to.have.property('message', 'failure 4')
    expect(await retry(failing(3), { ...quick, maxRepeats: 3 })).to.equal(4)
  })

  it('After the time limit, a retry throws the last failure', async () => {
    expect(await thrownBy(retry(failing(Infinity), { ...quick, withinMs: 20 }))).to.have.property('message')
  })

  it('A retry ends with the reason of an aborted signal, and an aborted signal prevents the call', async () => {
    const stopping = new AbortController()
    const waiting = retry(failing(9), { firstDelayMs: 600_000, maxDelayMs: 600_000, signal: stopping.signal })
    const reason = new Error('stopped')
    stopping.abort(reason)
    expect(await thrownBy(waiting)).to.equal(reason)
    let calls = 0
    const called = retry(async () => calls++, { signal: stopping.signal })
    expect(await thrownBy(called)).to.equal(reason)
    expect(calls).to.equal(0)
  })

  it('`retryUntilAborted` resolves to undefined when it is stopped, and throws a final error', async () => {
    const { signal } = new AbortController()
    expect(await retryUntilAborted(failing(2), signal, quick)).to.equal(3)
    expect(await thrownBy(retryUntilAborted(failing(2), signal, { ...quick, isFinal: () => true }))).to.have.property(
      'message',
    )
    expect(await retryUntilAborted(failing(2), AbortSignal.abort(), quick)).to.equal(undefined)
  })
})

describe('waitUntil', () => {
  it('`waitUntil` stops polling once its condition holds', async () => {
    let asked = 0
    await waitUntil(async () => ++asked === 3, new Error('late'), quick)
    expect(asked).to.equal(3)
  })

  it('`waitUntil` throws its own error after the time limit, and an error of the condition immediately', async () => {
    const late = new Error('late')
    expect(await thrownBy(waitUntil(async () => false, late, { ...quick, withinMs: 10 }))).to.equal(late)
    const away = async (): Promise<boolean> => (await failing(1)()) > 0
    expect(await thrownBy(waitUntil(away, late, quick))).to.have.property('message', 'failure 1')
  })
})
