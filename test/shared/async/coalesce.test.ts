import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { coalesce } from '../../../shared/async/coalesce.ts'

describe('coalesce', () => {
  it('Calls of a coalesced function during a round share the next round, which begins after them', async () => {
    let begun = 0
    let underWay = 0
    const ask = coalesce(async () => {
      const round = ++begun
      expect(++underWay).to.equal(1)
      await sleep(5)
      underWay--
      return round
    })
    expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([1, 2, 2])
    expect(await ask()).to.equal(3)
  })

  it('A failed round of a coalesced function fails only the calls that share it', async () => {
    let begun = 0
    const ask = coalesce(async () => {
      await sleep(1)
      if (++begun === 1) throw new Error('first')
      return begun
    })
    const [first, second] = await Promise.allSettled([ask(), ask()])
    expect([first.status, second]).to.deep.equal(['rejected', { status: 'fulfilled', value: 2 }])
  })
})
