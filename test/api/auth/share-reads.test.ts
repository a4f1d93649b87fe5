import { expect } from 'chai'
import { setImmediate as turn } from 'node:timers/promises'
import { shareReads } from '../../../api/auth/shared-access.ts'

/** A store whose reads end on request, with the value at their start. */
class SlowStore {
  value = 'first'
  readonly reads: { readonly ids: readonly string[]; readonly end: (error?: Error) => void }[] = []

  read = (ids: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    new Promise((resolve, reject) => {
      const found = new Map(ids.filter(id => id !== 'none').map(id => [id, `${id} ${this.value}`]))
      this.reads.push({ ids, end: error => (error ? reject(error) : resolve(found)) })
    })
}

describe('shareReads', () => {
  it('Concurrent credential reads share one query, and reads that arrive during it share the next one', async () => {
    const store = new SlowStore()
    const find = shareReads(store.read)
    const early = Promise.all([find('a'), find('b'), find('a'), find('none')])
    await turn()
    store.value = 'second'
    const late = Promise.all([find('a'), find('c')])
    await turn()
    expect(store.reads.map(({ ids }) => ids)).to.deep.equal([['a', 'b', 'none']])
    store.reads[0]?.end()
    expect(await early).to.deep.equal(['a first', 'b first', 'a first', null])
    await turn()
    store.reads[1]?.end()
    expect(await late, 'nobody gets what was read before they asked').to.deep.equal(['a second', 'c second'])
  })

  it('A failed shared query fails only the reads that share it', async () => {
    const store = new SlowStore()
    const find = shareReads(store.read)
    const failing = Promise.allSettled([find('a'), find('b')])
    await turn()
    const next = find('a')
    store.reads[0]?.end(new Error('away'))
    expect((await failing).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    await turn()
    store.reads[1]?.end()
    expect(await next).to.equal('a first')
    const again = find('a')
    await turn()
    store.reads[2]?.end()
    expect(await again).to.equal('a first')
  })

  it('A shared query of credentials reads at most 1,000 ids', async () => {
    const store = new SlowStore()
    const find = shareReads(store.read)
    const all = Promise.all(Array.from({ length: 1500 }, (_, index) => find(String(index))))
    await turn()
    store.reads[0]?.end()
    await turn()
    store.reads[1]?.end()
    await all
    expect(store.reads.map(({ ids }) => ids.length)).to.deep.equal([1000, 500])
  })
})
