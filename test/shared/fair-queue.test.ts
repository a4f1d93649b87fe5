import { expect } from 'chai'
import { FairQueue } from '../../shared/fair-queue.ts'

describe('FairQueue', () => {
  it('The fair queue runs a limited number of jobs at a time, alternating between tenants', async () => {
    const queue = new FairQueue(2)
    const done: string[] = []
    let running = 0
    let most = 0
    const work = (holder: string, name: string) =>
      queue.run(holder, async () => {
        most = Math.max(most, ++running)
        await new Promise(resolve => setImmediate(resolve))
        running--
        done.push(name)
      })
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4', 'a5'].map(name => work('a', name)),
      ...['b1', 'b2'].map(name => work('b', name)),
    ])
    expect(most).to.equal(2)
    expect(done).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'a5'])
  })

  it('The fair queue continues after a job that fails', async () => {
    const queue = new FairQueue(1)
    const failed = queue.run('a', () => Promise.reject(new Error('no')))
    const after = queue.run('a', async () => 'yes')
    expect(await failed.catch(({ message }: Error) => message)).to.equal('no')
    expect(await after).to.equal('yes')
  })
})
