import { expect } from 'chai'
import * as fc from 'fast-check'
import { LatestValues, type LiveValue } from '../../../../api/live/values/latest-values.ts'
import { ValueMemoryQuota } from '../../../../api/live/values/value-memory-quota.ts'
import { forAll } from '../../../support/for-all.ts'
import { asMachineRef } from '../../../../schema/refs.ts'

describe('LatestValues', () => {
  const value = (atUs: number, text: string, key = 'k'): LiveValue => ({
    machineRef: asMachineRef(1),
    atUs,
    key,
    type: 'T',
    subtype: '',
    value: text,
  })

  it('The latest value of a metric changes only with a newer timestamp and another value', () => {
    const values = new LatestValues()
    expect(values.apply(value(5, 'a'))).to.include({ value: 'a' })
    expect(values.apply(value(6, 'a'))).to.equal(null)
    expect(values.apply(value(5, 'b'))).to.equal(null)
    expect(values.apply(value(6, 'b'))).to.include({ value: 'b', atUs: 6 })
    expect(values.apply(value(6, 'b'))).to.equal(null)
  })

  it('A value read from the store does not replace a newer live value', () => {
    const values = new LatestValues()
    values.apply(value(5, 'told'))
    expect(values.restore(value(5, 'read'))).to.equal(null)
    expect(values.restore(value(6, 'read later'))).to.include({ value: 'read later' })
    expect(values.restore(value(1, 'other', 'other'))).to.include({ value: 'other' })
  })

  it('Latest values equal those of a map, with one cell per metric', async () => {
    const told = fc.record({
      machineRef: fc.nat({ max: 2 }).map(asMachineRef),
      atUs: fc.nat({ max: 20 }),
      key: fc.string({ maxLength: 2 }),
      type: fc.constantFrom('A', 'B'),
      subtype: fc.constantFrom('', 'X'),
      value: fc.constantFrom('1', '2'),
    })
    const property = fc.property(fc.array(told, { maxLength: 200, size: 'max' }), all => {
      const values = new LatestValues()
      const naive = new Map<string, LiveValue>()
      for (const each of all) {
        values.apply(each)
        const name = nameOf(each)
        if (each.atUs >= (naive.get(name)?.atUs ?? -1)) naive.set(name, each)
      }
      const found = new Map<string, string>()
      const cells = new Set<number>()
      for (const machineRef of [0, 1, 2])
        values.each(asMachineRef(machineRef), ({ metric, cell, atUs, value: text }) => {
          cells.add(cell)
          found.set(nameOf({ machineRef: asMachineRef(machineRef), ...metric }), `${atUs} ${text}`)
        })
      expect(found).to.deep.equal(new Map([...naive].map(([name, { atUs, value: text }]) => [name, `${atUs} ${text}`])))
      expect(cells.size).to.equal(naive.size)
    })
    await forAll(property, { numRuns: 200, shrinks: true })
  })

  describe('of several companies with a memory quota', () => {
    const roomOf = (bytes: number) =>
      new ValueMemoryQuota({
        bytes,
        companyOf: machineRef => (machineRef < 100 ? 'noisy' : 'quiet'),
        isShared: () => true,
      })
    const of = (ref: number, key: string, text: string, atUs = 1): LiveValue => ({
      ...value(atUs, text, key),
      machineRef: asMachineRef(ref),
    })

    it('A company with endless new metrics stays within its memory quota, retains its metrics, and leaves memory for another', () => {
      const room = roomOf(100_000)
      const values = new LatestValues(room)
      expect(values.apply(of(1, 'first', '1'))).to.include({ value: '1' })
      for (let i = 0; i < 5_000; i++) values.apply(of(i % 50, `name ${i}`, 'x'.repeat(i % 100)))
      expect(room.bytes).to.be.within(40_000, 50_000)
      expect(room.rejected.metrics).to.be.above(4_000)
      expect(values.apply(of(1, 'x'.repeat(5_000), '1'))).to.equal(null)
      expect(values.apply(of(1, 'first', '2', 2)), 'a metric that is known').to.include({ value: '2' })
      for (let i = 0; i < 100; i++) expect(values.apply(of(100, `name ${i}`, '7'))).to.include({ value: '7' })
    })

    it('Metrics beyond the limit of a machine are counted and have no latest value', () => {
      const room = roomOf(100_000_000)
      const values = new LatestValues(room)
      for (let i = 0; i < 6_002; i++) values.apply(of(1, `name ${i}`, '1'))
      values.apply(of(1, 'name 0', '2', 2))
      expect(room.rejected).to.deep.equal({ metrics: 2, values: 0 })
      expect(values.isWhole(asMachineRef(1))).to.equal(false)
    })

    it('A long latest value is truncated to the free memory, and a shorter value frees memory again', () => {
      const room = roomOf(10_000)
      const values = new LatestValues(room)
      values.apply(of(1, 'a', 'x'))
      expect(values.apply(of(1, 'a', 'y'.repeat(50_000), 2))?.value).to.equal('y'.repeat(200))
      expect(room.rejected).to.deep.equal({ metrics: 0, values: 1 })
      expect(values.apply(of(1, 'a', 'z'.repeat(2_000), 3))?.value).to.have.length(2_000)
      const filled = room.bytes
      values.apply(of(1, 'a', 'x', 4))
      expect(filled - room.bytes).to.be.within(3_900, 4_100)
    })
  })
})

function nameOf({
  machineRef,
  key,
  type,
  subtype,
}: Pick<LiveValue, 'machineRef' | 'key' | 'type' | 'subtype'>): string {
  return JSON.stringify([machineRef, key, type, subtype])
}
