import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { EvaluationQueue } from '../../../../api/graphql/subscriptions/evaluation-queue.ts'

describe('the queue of GraphQL evaluations', () => {
  /**
   * Creates a queue; returns it with the names of its jobs in the order of their start, and functions that end blocked
   * jobs.
   */
  function make() {
    const queue = new EvaluationQueue({ load: 1, onError: () => undefined })
    const begun: string[] = []
    const releases: (() => void)[] = []
    const add = (companyId: string, name: string, { isUrgent = false, isHeld = false } = {}) =>
      queue.add(
        companyId,
        async () => {
          begun.push(name)
          if (isHeld) await new Promise<void>(resolve => releases.push(resolve))
        },
        { isUrgent },
      )
    const until = async (count: number) => {
      for (let times = 0; times < 500 && begun.length < count; times++) await sleep(10)
    }
    return { begun, releases, add, until }
  }

  it('Evaluations that are not urgent make progress although urgent ones are always waiting', async () => {
    const { begun, releases, add, until } = make()
    for (const name of ['held 1', 'held 2']) add('a', name, { isHeld: true })
    for (let i = 0; i < 6; i++) add('a', 'urgent', { isUrgent: true })
    for (let i = 0; i < 2; i++) add('a', 'waiting')
    releases[0]?.()
    await until(10)
    const order = begun.slice(2).join(' ')
    expect(order).to.equal('urgent urgent waiting urgent urgent waiting urgent urgent')
    releases[1]?.()
  })

  it('A cancelled evaluation does not start', async () => {
    const { begun, releases, add, until } = make()
    for (const name of ['held 1', 'held 2']) add('a', name, { isHeld: true })
    const cancels = [add('a', 'urgent', { isUrgent: true }), add('a', 'waiting')]
    add('a', 'last')
    for (const cancel of cancels) cancel()
    for (const release of releases) release()
    await until(3)
    expect(begun).to.deep.equal(['held 1', 'held 2', 'last'])
  })

  it('An evaluation of a company that has none in progress starts immediately although other companies wait', () => {
    const { begun, releases, add } = make()
    for (const company of ['a', 'b']) for (const name of [1, 2]) add(company, `${company}${name}`, { isHeld: true })
    add('c', 'c1', { isHeld: true })
    expect(begun).to.include('c1')
    expect(begun).to.have.length(4)
    for (const release of releases) release()
  })

  it('An evaluation waits until the time charged to its company has passed', async () => {
    const queue = new EvaluationQueue({ load: 0.1, onError: () => undefined })
    const begun: string[] = []
    queue.add('a', async () => begun.push('first'))
    await sleep(10)
    // 3 s at a tenth of a processor.
    queue.charge('a', 300)
    queue.charge('unknown', 300)
    queue.add('a', async () => begun.push('second'))
    await sleep(300)
    expect(begun).to.deep.equal(['first'])
    for (let times = 0; times < 3_000 && begun.length < 2; times++) await sleep(10)
    expect(begun).to.deep.equal(['first', 'second'])
    queue.stop()
  })

  it('CPU time that the process uses without evaluations is not charged to the queue', async () => {
    // Other threads are always busy, as those of the store are with inserts and merges.
    const usedMs = () => 1.9 * performance.now()
    const queue = new EvaluationQueue({ load: 0.05, onError: () => undefined, usedMs })
    queue.add('a', () => sleep(1))
    await sleep(100)
    const done: number[] = []
    for (let i = 0; i < 20; i++) queue.add('a', async () => sleep(20).then(() => done.push(i)))
    // At a twentieth of a processor, 20 evaluations of 20 ms and all other CPU time would take 15 s or more.
    for (let times = 0; times < 500 && done.length < 20; times++) await sleep(10)
    expect(done).to.have.length(20)
    queue.stop()
  })

  it('CPU time that other threads use for an evaluation is charged to the queue', async () => {
    let usedMs = 0
    const queue = new EvaluationQueue({ load: 0.1, onError: () => undefined, usedMs: () => usedMs })
    const begun: number[] = []
    let endedAtMs = Infinity
    // Two threads are busy until the evaluation ends.
    queue.add('a', async () => {
      const startedAtMs = performance.now()
      await sleep(100)
      endedAtMs = performance.now()
      usedMs += 2 * (endedAtMs - startedAtMs)
    })
    queue.add('a', async () => sleep(1))
    await sleep(150)
    queue.add('a', async () => begun.push(performance.now()))
    for (let times = 0; times < 6_000 && begun.length < 1; times++) await sleep(10)
    // 200 ms of CPU at a tenth of a processor take 2 s, less the burst; the wall-clock time would result in 1 s.
    expect((begun[0] ?? 0) - endedAtMs).to.be.greaterThan(1_200)
    queue.stop()
  })
})
