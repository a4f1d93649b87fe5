import { expect } from 'chai'
import { Shares } from '../../shared/shares.ts'

describe('shares of a room', () => {
  const takeAll = (shares: Shares, holder: string): number => {
    let taken = 0
    while (shares.take(holder, 1)) taken++
    return taken
  }

  it('are everything for the only holder', () => {
    expect(takeAll(new Shares({ room: 100, isShared: () => false }), 'a')).to.equal(100)
  })

  it('leave something for the next, however many want all of it', () => {
    const shares = new Shares({ room: 120 })
    expect(takeAll(shares, 'a')).to.equal(60)
    expect(takeAll(shares, 'b')).to.equal(30)
    expect(takeAll(shares, 'c')).to.equal(15)
    expect(takeAll(shares, 'd')).to.be.above(0)
    shares.give('a', 60)
    expect(takeAll(shares, 'e')).to.be.above(30)
  })

  it('let one that has nothing take the last, and nobody more than there is', () => {
    const shares = new Shares({ room: 2 })
    expect([shares.take('a', 1), shares.take('a', 1), shares.take('b', 1), shares.take('c', 1)]).to.deep.equal([
      true,
      false,
      true,
      false,
    ])
  })

  it('are given back', () => {
    const shares = new Shares({ room: 10 })
    shares.take('a', 5)
    shares.give('a', 5)
    expect([shares.taken, shares.heldBy('a')]).to.deep.equal([0, 0])
  })
})
