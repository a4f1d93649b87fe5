import { createRequire } from 'node:module'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { assignPartitions } from '../../log/assignment.ts'
import { murmur2, Partitioner, partitionOfKey } from '../../log/partitioner.ts'

describe('partition of a key', () => {
  it('The hash of a key equals that of kafkajs', () => {
    const theirs: (key: Uint8Array) => number = createRequire(import.meta.url)(
      'kafkajs/src/producer/partitioners/default/murmur2',
    )
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), bytes => {
        expect(murmur2(bytes)).to.equal(theirs(Buffer.from(bytes)))
      }),
    )
  })

  it('Every key has a partition below the partition count', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (key, partitions) => {
        expect(partitionOfKey(key, partitions)).to.be.within(0, partitions - 1)
      }),
    )
  })

  it('A requested partition takes precedence over the key, and an invalid one is rejected', () => {
    const record = { key: 'k', value: Buffer.alloc(0) }
    expect(new Partitioner().assign([{ ...record, partition: 3 }], 4)).to.deep.equal([3])
    for (const partition of [4, -1, 1.5]) {
      expect(() => new Partitioner().assign([{ ...record, partition }], 4)).to.throw(RangeError)
    }
  })
})

describe('assignPartitions', () => {
  const ownership = fc
    .tuple(fc.integer({ min: 0, max: 24 }), fc.integer({ min: 1, max: 6 }))
    .chain(([partitions, members]) =>
      fc.tuple(
        fc.constant(partitions),
        fc.array(fc.integer({ min: -1, max: members - 1 }), { minLength: partitions, maxLength: partitions }),
        fc.constant(members),
      ),
    )
    .map(([partitions, owners, members]) => ({
      partitions,
      owned: Array.from(
        { length: members },
        (_, member) => new Set(owners.flatMap((owner, partition) => (owner === member ? [partition] : []))),
      ),
    }))

  it('Partitions are shared evenly, each by one member', () => {
    fc.assert(
      fc.property(ownership, ({ partitions, owned }) => {
        const shares = assignPartitions(partitions, owned)
        expect(shares.flatMap(own => [...own]).toSorted((left, right) => left - right)).to.deep.equal([
          ...Array.from({ length: partitions }).keys(),
        ])
        const sizes = shares.map(({ size }) => size)
        expect(Math.max(...sizes) - Math.min(...sizes)).to.be.at.most(1)
      }),
    )
  })

  it('Sharing moves only as many partitions as necessary', () => {
    fc.assert(
      fc.property(ownership, ({ partitions, owned }) => {
        const kept = assignPartitions(partitions, owned).map(
          (own, index) => [...own].filter(partition => owned[index]?.has(partition)).length,
        )
        // Returns how many partitions move at least: every member keeps its partitions up to its even share.
        for (const [index, count] of kept.entries()) {
          expect(count).to.be.at.least(Math.min(owned[index]?.size ?? 0, Math.floor(partitions / owned.length)))
        }
      }),
    )
  })
})
