import { expect } from 'chai'
import { type SourceChange, SubscriptionIndex } from '../../../../api/graphql/subscriptions/subscription-index.ts'
import { asMachineRef, type MachineRef } from '../../../../schema/refs.ts'

interface Reader {
  readonly companyId: string
}

const reader = (): Reader => ({ companyId: 'a' })
const machines = (count: number) => new Set(Array.from({ length: count }, (_, index) => asMachineRef(index)))
const change = (machineRef: MachineRef | null, key: string | null): SourceChange => ({
  companyId: 'a',
  source: 'values',
  machineRef,
  key,
})

function told(watches: SubscriptionIndex<Reader>, of: SourceChange): readonly Reader[] {
  const found: Reader[] = []
  watches.each(of, each => found.push(each))
  return found
}

/** A set that counts how many of its values are iterated. */
class CountedSet extends Set<string> {
  walked = 0;

  override *[Symbol.iterator](): SetIterator<string> {
    for (const each of super.values()) {
      this.walked++
      yield each
    }
  }
}

describe('the index of GraphQL subscriptions', () => {
  it('The subscription index finds the subscriptions that read a machine and a key', () => {
    const watches = new SubscriptionIndex<Reader>()
    const [one, other] = [reader(), reader()]
    watches.set(one, [
      { source: 'values', machines: new Set([asMachineRef(1)]), keys: new Set(['a']) },
      { source: 'values', machines: new Set([asMachineRef(1), asMachineRef(2)]), keys: new Set(['b']) },
    ])
    watches.set(other, [{ source: 'values', machines: null, keys: null }])
    expect(told(watches, change(asMachineRef(1), 'a'))).to.have.members([one, other])
    expect(told(watches, change(asMachineRef(1), 'b'))).to.have.members([one, other])
    expect(told(watches, change(asMachineRef(2), 'a'))).to.have.members([other])
    watches.set(one, [{ source: 'values', machines: new Set([asMachineRef(3)]), keys: null }])
    expect(told(watches, change(asMachineRef(1), 'a'))).to.have.members([other])
    expect(told(watches, change(asMachineRef(3), 'z'))).to.have.members([one, other])
    watches.delete(one)
    watches.delete(other)
    expect(told(watches, change(asMachineRef(3), 'z'))).to.deep.equal([])
  })

  it('The subscription index does not copy the keys for each machine', () => {
    const watches = new SubscriptionIndex<Reader>()
    const keys = new CountedSet(Array.from({ length: 1_000 }, (_, index) => `k${index}`))
    const one = reader()
    for (let times = 0; times < 3; times++) watches.set(one, [{ source: 'values', machines: machines(400), keys }])
    expect(keys.walked).to.be.at.most(10_000)
    expect(told(watches, change(asMachineRef(1), 'k1'))).to.deep.equal([one])
    expect(told(watches, change(asMachineRef(1), 'other'))).to.deep.equal([])
  })

  it('A subscription of very many machines is indexed as one of all machines', () => {
    const watches = new SubscriptionIndex<Reader>()
    const one = reader()
    watches.set(one, [{ source: 'values', machines: machines(5_000), keys: new Set(['a']) }])
    expect(told(watches, change(asMachineRef(4_999), 'a'))).to.deep.equal([one])
    expect(told(watches, change(asMachineRef(4_999), 'b'))).to.deep.equal([])
    watches.set(one, [{ source: 'values', machines: machines(2), keys: new Set(['a']) }])
    expect(told(watches, change(asMachineRef(4_999), 'a'))).to.deep.equal([])
  })

  it('A subscription is notified once of a change, even if its reads change during the notification', () => {
    const watches = new SubscriptionIndex<Reader>()
    const one = reader()
    const read = (of: number) => [{ source: 'values', machines: machines(of), keys: null }] as const
    const other = reader()
    watches.set(other, read(3))
    watches.set(one, read(3))
    let times = 0
    watches.each(change(null, null), each => {
      if (++times < 10) watches.set(each, read(3 + times))
    })
    expect(times).to.equal(2)
  })
})
