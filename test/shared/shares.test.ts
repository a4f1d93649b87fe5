import { expect } from 'chai'
import { Shares } from '../../shared/shares.ts'

describe('Shares', () => {
  const takeAll = (shares: Shares, holder: string): number => {
    let taken = 0
    while (shares.take(holder, 1)) taken++
    return taken
  }

  it('A single tenant can use the whole quota', () => {
    expect(takeAll(new Shares({ room: 100, isShared: () => false }), 'a')).to.equal(100)
  })

  it('Each further tenant gets a share, although earlier tenants used as much as they could', () => {
    const shares = new Shares({ room: 120 })
    expect(takeAll(shares, 'a')).to.equal(60)
    expect(takeAll(shares, 'b')).to.equal(30)
    expect(takeAll(shares, 'c')).to.equal(15)
    expect(takeAll(shares, 'd')).to.be.above(0)
    shares.give('a', 60)
    expect(takeAll(shares, 'e')).to.be.above(30)
  })

  it('The last unit goes to a tenant without any, and no tenant gets more than the rest', () => {
    const shares = new Shares({ room: 2 })
    expect([shares.take('a', 1), shares.take('a', 1), shares.take('b', 1), shares.take('c', 1)]).to.deep.equal([
      true,
      false,
      true,
      false,
    ])
  })

  it('Released units are available again', () => {
    const shares = new Shares({ room: 10 })
    shares.take('a', 5)
    shares.give('a', 5)
    expect([shares.taken, shares.heldBy('a')]).to.deep.equal([0, 0])
  })
})
