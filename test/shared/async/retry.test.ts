import { expect } from 'chai'
import { persist, retry, until } from '../../../shared/async/retry.ts'

const quick = { firstDelayMs: 1, maxDelayMs: 2 } as const

/** Fails so many times, then returns the number of calls. */
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

describe('a call that is repeated', () => {
  it('is made until it succeeds, and tells each failure', async () => {
    const told: string[] = []
    const onRetry = (error: unknown, attempt: number) => told.push(`${String(error)} at ${attempt}`)
    expect(await retry(failing(2), { ...quick, onRetry })).to.equal(3)
    expect(told).to.deep.equal(['Error: failure 1 at 1', 'Error: failure 2 at 2'])
  })

  it('ends with an error that no repeat can mend', async () => {
    const isFinal = (error: unknown) => String(error).endsWith('2')
    expect(await thrownBy(retry(failing(9), { ...quick, isFinal }))).to.have.property('message', 'failure 2')
  })

  it('ends after so many repeats', async () => {
    expect(await thrownBy(retry(failing(9), { ...quick, maxRepeats: 3 }))).to.have.property('message', 'failure 4')
    expect(await retry(failing(3), { ...quick, maxRepeats: 3 })).to.equal(4)
  })

  it('ends with its last failure when the time is over', async () => {
    expect(await thrownBy(retry(failing(Infinity), { ...quick, withinMs: 20 }))).to.have.property('message')
  })

  it('ends with the reason of a signal that aborts while it waits, and is not made where it has aborted', async () => {
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

  it('resolves to nothing where `persist` is stopped, and throws what is final', async () => {
    const { signal } = new AbortController()
    expect(await persist(failing(2), signal, quick)).to.equal(3)
    expect(await thrownBy(persist(failing(2), signal, { ...quick, isFinal: () => true }))).to.have.property('message')
    expect(await persist(failing(2), AbortSignal.abort(), quick)).to.equal(undefined)
  })
})

describe('a question that is asked until the answer is yes', () => {
  it('is asked no more then', async () => {
    let asked = 0
    await until(async () => ++asked === 3, new Error('late'), quick)
    expect(asked).to.equal(3)
  })

  it('throws its own error when the time is over, and failures of asking at once', async () => {
    const late = new Error('late')
    expect(await thrownBy(until(async () => false, late, { ...quick, withinMs: 10 }))).to.equal(late)
    const away = async (): Promise<boolean> => (await failing(1)()) > 0
    expect(await thrownBy(until(away, late, quick))).to.have.property('message', 'failure 1')
  })
})
