import { expect } from 'chai'
import { mapConcurrently } from '../../../shared/async/map-concurrently.ts'

describe('mapConcurrently', () => {
  it('At most the given number of tasks run at the same time, until each item had its task', async () => {
    let [running, most] = [0, 0]
    const done: number[] = []
    await mapConcurrently([1, 2, 3, 4, 5], 2, async item => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      done.push(item)
    })
    expect(most).to.equal(2)
    expect(done).to.have.members([1, 2, 3, 4, 5])
  })

  it('After a failure no further task starts, and the running ones end', async () => {
    const started: number[] = []
    const ended: number[] = []
    const running = mapConcurrently([1, 2, 3, 4, 5], 2, async item => {
      started.push(item)
      if (item === 1) throw new Error('The task failed')
      await Promise.resolve()
      ended.push(item)
    })
    expect(await running.catch(String)).to.equal('Error: The task failed')
    expect([started, ended]).to.deep.equal([[1, 2], [2]])
  })
})
