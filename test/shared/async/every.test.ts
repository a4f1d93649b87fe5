import { expect } from 'chai'
import { every } from '../../../shared/async/every.ts'
import { gate, sleep } from '../../log/fixture.ts'

describe('every', () => {
  it('No run starts while the previous one is in progress, and none after the end', async () => {
    const gates = [gate(), gate()]
    let starts = 0
    const stop = every(1, () => gates[starts++]?.opened)
    await sleep(30)
    expect(starts).to.equal(1)
    gates[0]?.open()
    await sleep(30)
    expect(starts).to.equal(2)
    stop()
    gates[1]?.open()
    await sleep(30)
    expect(starts).to.equal(2)
  })
})
