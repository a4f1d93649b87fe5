import { expect } from 'chai'
import { ConnectSlots } from '../../../connect/run/connect-slots.ts'

describe('slots of connectors that connect', () => {
  it('A slot that is released repeatedly is free once', async () => {
    const slots = new ConnectSlots(1)
    const release = await slots.acquire()
    release()
    release()
    const order: string[] = []
    const second = await slots.acquire()
    const third = slots.acquire().then(each => {
      order.push('third')
      return each
    })
    order.push('second')
    second()
    const releaseThird = await third
    releaseThird()
    expect(order).to.deep.equal(['second', 'third'])
  })

  it('Sources that never answer leave their slots to the next ones', async () => {
    const slots = new ConnectSlots(2, 1)
    const held = [await slots.acquire(), await slots.acquire()]
    const next = await Promise.all([slots.acquire(), slots.acquire()])
    for (const release of [...held, ...next]) release()
  })
})
