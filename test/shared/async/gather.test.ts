import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { gather, gatherByKey } from '../../../shared/async/gather.ts'

describe('a gathered call', () => {
  it('is one for all who ask at the same time or while another is under way, and begins after they asked', async () => {
    const calls: string[] = []
    let underWay = 0
    const ask = gather(async (asked: readonly string[]) => {
      calls.push(asked.join(''))
      expect(++underWay).to.equal(1)
      await sleep(5)
      underWay--
      return calls.length
    })
    const first = [ask('a'), ask('b')]
    await sleep(2)
    expect(await Promise.all([...first, ask('c'), ask('d')])).to.deep.equal([1, 1, 2, 2])
    expect(await ask('e')).to.equal(3)
    expect(calls).to.deep.equal(['ab', 'cd', 'e'])
  })

  it('that fails fails for those who share it, and for no others', async () => {
    let begun = 0
    const ask = gather(async () => {
      await sleep(2)
      if (++begun === 1) throw new Error('first')
      return begun
    })
    const first = [ask(1), ask(2)]
    await sleep(1)
    const outcomes = await Promise.allSettled([...first, ask(3)])
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled'])
  })

  it('is shared by those alone who name the same key; others do not wait for it', async () => {
    const calls: string[] = []
    const ask = gatherByKey(async (asked: readonly string[]) => {
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
