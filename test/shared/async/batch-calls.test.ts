import { expect } from 'chai'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { deferred } from '../../../shared/async/deferred.ts'
import { batchCalls, batchCallsByKey } from '../../../shared/async/batch-calls.ts'

describe('batchCalls', () => {
  it('Batched calls of the same moment, or during a running call, share one later call', async () => {
    const calls: string[] = []
    let underWay = 0
    const [begun, ended] = [deferred<void>(), deferred<void>()]
    const ask = batchCalls(async (asked: readonly string[]) => {
      calls.push(asked.join(''))
      expect(++underWay).to.equal(1)
      begun.resolve()
      await ended.promise
      underWay--
      return calls.length
    })
    const first = [ask('a'), ask('b')]
    await begun.promise
    const second = [ask('c'), ask('d')]
    // Enough time for a call that does not wait.
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    ended.resolve()
    expect(await Promise.all([...first, ...second])).to.deep.equal([1, 1, 2, 2])
    expect(await ask('e')).to.equal(3)
    expect(calls).to.deep.equal(['ab', 'cd', 'e'])
  })

  it('A failed batch of calls fails only the calls that share it', async () => {
    let calls = 0
    const [begun, ended] = [deferred<void>(), deferred<void>()]
    const ask = batchCalls(async () => {
      const call = ++calls
      begun.resolve()
      await ended.promise
      if (call === 1) throw new Error('first')
      return call
    })
    const first = [ask(1), ask(2)]
    await begun.promise
    const other = ask(3)
    ended.resolve()
    const outcomes = await Promise.allSettled([...first, other])
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled'])
  })

  it('Calls share a batch only if they have the same key, and calls of other keys do not wait for it', async () => {
    const calls: string[] = []
    const ask = batchCallsByKey(async (asked: readonly string[]) => {
      calls.push(asked.join(''))
      await sleep(asked.includes('slow') ? 20 : 0)
      return asked.length
    })
    const slow = ask('x', 'slow')
    expect(await Promise.race([slow, ask('y', 'b')])).to.equal(1)
    expect(calls).to.deep.equal(['slow', 'b'])
    await slow
    expect(await Promise.all([ask('x', 'c'), ask('x', 'd')])).to.deep.equal([2, 2])
    expect(calls).to.deep.equal(['slow', 'b', 'cd'])
  })
})
