import { expect } from 'chai'
import { Shares } from '../../shared/shares.ts'

describe('Shares', () => {
  const reserveAll = (shares: Shares, holder: string): number => {
    let taken = 0
    while (shares.reserve(holder, 1)) taken++
    return taken
  }

  it('A single tenant can use the whole quota', () => {
    expect(reserveAll(new Shares({ limit: 100, isShared: () => false }), 'a')).to.equal(100)
  })

  it('Each further tenant gets a share, although earlier tenants used as much as they could', () => {
    const shares = new Shares({ limit: 120 })
    expect(reserveAll(shares, 'a')).to.equal(60)
    expect(reserveAll(shares, 'b')).to.equal(30)
    expect(reserveAll(shares, 'c')).to.equal(15)
    expect(reserveAll(shares, 'd')).to.be.above(0)
    shares.release('a', 60)
    expect(reserveAll(shares, 'e')).to.be.above(30)
  })

  it('The last unit goes to a tenant without any, and no tenant gets more than the rest', () => {
    const shares = new Shares({ limit: 2 })
    expect([
      shares.reserve('a', 1),
      shares.reserve('a', 1),
      shares.reserve('b', 1),
      shares.reserve('c', 1),
    ]).to.deep.equal([true, false, true, false])
  })

  it('Released units are available again', () => {
    const shares = new Shares({ limit: 10 })
    shares.reserve('a', 5)
    shares.release('a', 5)
    expect([shares.used, shares.usedBy('a')]).to.deep.equal([0, 0])
  })
})
