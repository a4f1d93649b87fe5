import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { addressOf, parseLocation, serviceUrl } from '../../web/router/address.ts'

describe('addresses of the application', () => {
  const read = (address: string) => parseLocation(new URL(address, serviceUrl))

  it('An address contains its query, which is read back unchanged', () => {
    const address = addressOf('app/downtime', { period: 'week', machine: 'a,b', order: null, reason: '' })
    expect(address).to.match(/app\/downtime\?period=week&machine=a%2Cb$/)
    const { path, query } = read(address)
    expect([path, Object.fromEntries(query)]).to.deep.equal(['app/downtime', { period: 'week', machine: 'a,b' }])
  })

  it('The ids of 5,000 machines are in the fragment of an address, which browsers do not send', () => {
    const machine = Array.from({ length: 5000 }, () => randomUUID()).join(',')
    const address = addressOf('app/performance', { period: 'week', machine })
    expect(address.split('#')[0]).to.match(/app\/performance$/)
    const { path, query } = read(address)
    expect([path, Object.fromEntries(query)]).to.deep.equal(['app/performance', { period: 'week', machine }])
  })

  it('A key in the fragment of an address is not read as a query', () => {
    expect([...read('app/floor#key=takt_x').query]).to.deep.equal([])
  })
})
