import { expect } from 'chai'
import type { LookupFunction } from 'node:net'
import { discoverSource } from '../../../connect/try/discover.ts'
import { collect } from '../../support/collect.ts'
import { Adapter } from '../shdr/adapter.ts'

describe('discoverSource', () => {
  it('A connection that opens late does not shorten the time in which an adapter is read', async () => {
    const adapter = await Adapter.start()
    const lookup: LookupFunction = (_host, _options, done) =>
      void setTimeout(() => done(null, [{ address: '127.0.0.1', family: 4 }]), 1_200)
    adapter.send({ key: 'execution', value: 'ACTIVE', ms: Date.now() })
    try {
      const address = `tcp://adapter:${new URL(adapter.address).port}`
      const ports = { lookup, clock: Date.now, signal: new AbortController().signal }
      const found = await collect(discoverSource({ kind: 'shdr', address, seconds: 1 }, ports))
      expect(found.flatMap(({ values }) => values.map(({ name }) => name))).to.deep.equal(['execution'])
    } finally {
      await adapter.close()
    }
  })
})
