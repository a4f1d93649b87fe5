import { expect } from 'chai'
import { Unconfirmed } from '../../../connect/mqtt/unconfirmed.ts'

const limit = 10_000

function acknowledge(unconfirmed: Unconfirmed, count: number): void {
  for (let at = 0; at < count; at++) unconfirmed.acknowledged(`${unconfirmed.hashes.length}`)
}

describe('unconfirmed messages of a broker', () => {
  it('A connection is full after 10,000 messages that the broker has not confirmed', () => {
    const unconfirmed = new Unconfirmed([])
    acknowledge(unconfirmed, limit - 1)
    expect(unconfirmed.isFull).to.equal(false)
    unconfirmed.pingSent()
    acknowledge(unconfirmed, 1)
    expect(unconfirmed.isFull).to.equal(true)
    unconfirmed.pingAnswered()
    expect([unconfirmed.isFull, unconfirmed.hashes.length]).to.deep.equal([false, 1])
  })

  it('The next connection of a broker that confirms nothing recognizes the newest messages, and keeps no more', () => {
    const first = new Unconfirmed([])
    acknowledge(first, limit)
    const second = new Unconfirmed(first.hashes)
    expect([second.isFull, second.isRepeated('0')]).to.deep.equal([false, true])
    acknowledge(second, limit)
    expect(second.isFull).to.equal(true)
    const third = new Unconfirmed(second.hashes)
    expect([third.hashes.length, third.isRepeated('0'), third.isRepeated(`${2 * limit - 1}`)]).to.deep.equal([
      limit,
      false,
      true,
    ])
  })
})
