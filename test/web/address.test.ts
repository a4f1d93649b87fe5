import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { addressOf, placeOf, serviceUrl } from '../../web/router/address.ts'

describe('addresses of the application', () => {
  const read = (address: string) => placeOf(new URL(address, serviceUrl))

  it('hold the query, read back as it was', () => {
    const address = addressOf('app/downtime', { period: 'week', machine: 'a,b', order: null, reason: '' })
    expect(address).to.match(/app\/downtime\?period=week&machine=a%2Cb$/)
    const { path, query } = read(address)
    expect([path, Object.fromEntries(query)]).to.deep.equal(['app/downtime', { period: 'week', machine: 'a,b' }])
  })

  it('keep 5,000 machines where no browser sends them to the service', () => {
    const machine = Array.from({ length: 5000 }, () => randomUUID()).join(',')
    const address = addressOf('app/performance', { period: 'week', machine })
    expect(address.split('#')[0]).to.match(/app\/performance$/)
    const { path, query } = read(address)
    expect([path, Object.fromEntries(query)]).to.deep.equal(['app/performance', { period: 'week', machine }])
  })

  it('do not read a key behind the sign as a query', () => {
    expect([...read('app/floor#key=takt_x').query]).to.deep.equal([])
  })
})
