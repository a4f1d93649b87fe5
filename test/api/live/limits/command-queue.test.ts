import { expect } from 'chai'
import { CommandQueue } from '../../../../api/live/limits/command-queue.ts'
import { Shares } from '../../../../shared/shares.ts'

describe('CommandQueue', () => {
  it('Pending live commands of one address use up the memory quota, and release it when they end', async () => {
    const shares = new Shares({ limit: 1 << 20 })
    let finish = (): void => undefined
    const blocked = new Promise<void>(resolve => (finish = resolve))
    let accepted = 0
    for (let connection = 0; connection < 100; connection++) {
      const queue = new CommandQueue(shares, () => undefined)
      while (queue.hasRoom('10.0.0.1', 10) && accepted < 100_000) {
        queue.add('10.0.0.1', 10, () => blocked)
        accepted++
      }
    }
    expect(accepted).to.be.within(400, 700)
    expect(shares.used).to.be.above(accepted * 1000)
    finish()
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(shares.used).to.equal(0)
  })
})
