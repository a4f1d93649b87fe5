import { expect } from 'chai'
import { ClientAddresses, passedOnHeader } from '../../../../api/live/transport/client-address.ts'

describe('addresses of clients', () => {
  const addresses = new ClientAddresses(['10.0.0.1', '10.0.0.2'])
  const of = (remoteAddress: string, headers: Readonly<Record<string, string>> = {}) =>
    addresses.of(remoteAddress, name => headers[name])

  it('Without a trusted proxy, the address of the connection counts', () => {
    expect(of('192.0.2.7')).to.equal('192.0.2.7')
    expect(of('192.0.2.7', { 'x-forwarded-for': '198.51.100.1' })).to.equal('192.0.2.7')
  })

  it('Behind trusted proxies, the nearest address that is not a trusted proxy counts', () => {
    expect(of('10.0.0.1', { 'x-forwarded-for': '203.0.113.9, 198.51.100.1, 10.0.0.2' })).to.equal('198.51.100.1')
  })

  it('If every address is a trusted proxy, the farthest one counts', () => {
    expect(of('10.0.0.1')).to.equal('10.0.0.1')
    expect(of('10.0.0.1', { 'x-forwarded-for': '10.0.0.2' })).to.equal('10.0.0.2')
  })

  it('An IPv6 network counts as one address', () => {
    expect(of('2001:db8:1:2::1')).to.equal(of('2001:db8:1:2:3:4:5:6'))
    expect(of('2001:db8:1:2::1')).to.not.equal(of('2001:db8:2:2::1'))
  })

  it('An address that this process passed on counts, and a client cannot set it', () => {
    expect(of('127.0.0.1', { [passedOnHeader]: addresses.passOn('192.0.2.7') })).to.equal('192.0.2.7')
    const foreign = new ClientAddresses([]).passOn('192.0.2.7')
    expect(of('127.0.0.1', { [passedOnHeader]: foreign })).to.equal('127.0.0.1')
  })
})
