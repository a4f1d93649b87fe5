import { expect } from 'chai'
import type { LookupAddress } from 'node:dns'
import { allowedLookup, type ResolveName } from '../../shared/allowed-lookup.ts'

const allows = (address: string, hostname: string) => address.startsWith('10.') || hostname === 'named'

/** Looks a name up; returns its addresses, or the message of the error. */
function lookUp(hostname: string, resolve: ResolveName): Promise<string | readonly string[]> {
  const lookup = allowedLookup({ allows, notAllowed: name => new Error(`denied ${name}`), resolve, withinMs: 20 })
  return new Promise(done => {
    const options = { all: true } as const
    lookup(hostname, options, (error, addresses) => {
      const found: readonly LookupAddress[] = Array.isArray(addresses) ? addresses : []
      done(error === null ? found.map(({ address }) => address) : error.message)
    })
  })
}

const having =
  (...addresses: readonly string[]): ResolveName =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map(address => ({ address, family: 4 })),
    )

describe('lookup of allowed addresses', () => {
  it('A name has only its allowed addresses; a name without one is denied, and its addresses stay secret', async () => {
    expect(await lookUp('a', having('8.8.8.8', '10.0.0.1', '169.254.169.254'))).to.deep.equal(['10.0.0.1'])
    expect(await lookUp('a', having('169.254.169.254'))).to.equal('denied a')
    expect(await lookUp('named', having('169.254.169.254'))).to.deep.equal(['169.254.169.254'])
    expect(await lookUp('a', having())).to.equal('denied a')
  })

  it('A lookup that does not end fails, and its late result has no effect', async () => {
    let late: Parameters<ResolveName>[2] = () => undefined
    const found = await lookUp('slow', (_hostname, _options, callback) => void (late = callback))
    expect(found).to.equal('The lookup of slow took longer than 20 ms')
    late(null, [{ address: '10.0.0.1', family: 4 }])
  })
})
