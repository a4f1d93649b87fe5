import { expect } from 'chai'
import * as fc from 'fast-check'
import { LatestValues, type Value } from '../../../api/live/latest-values.ts'
import { forAll } from '../../support/for-all.ts'

describe('the latest values', () => {
  const value = (atUs: number, text: string, key = 'k'): Value => ({
    machine: 1,
    atUs,
    key,
    type: 'T',
    subtype: '',
    value: text,
  })

  it('change with a newer value that is another', () => {
    const values = new LatestValues()
    expect(values.apply(value(5, 'a'))).to.include({ value: 'a' })
    expect(values.apply(value(6, 'a'))).to.equal(null)
    expect(values.apply(value(5, 'b'))).to.equal(null)
    expect(values.apply(value(6, 'b'))).to.include({ value: 'b', atUs: 6 })
    expect(values.apply(value(6, 'b'))).to.equal(null)
  })

  it('are not undone by what was read before they were told', () => {
    const values = new LatestValues()
    values.apply(value(5, 'told'))
    expect(values.restore(value(5, 'read'))).to.equal(null)
    expect(values.restore(value(6, 'read later'))).to.include({ value: 'read later' })
    expect(values.restore(value(1, 'other', 'other'))).to.include({ value: 'other' })
  })

  it('are what a map of them would be, with a cell of its own for each', async () => {
    const told = fc.record({
      machine: fc.nat({ max: 2 }),
      atUs: fc.nat({ max: 20 }),
      key: fc.string({ maxLength: 2 }),
      type: fc.constantFrom('A', 'B'),
      subtype: fc.constantFrom('', 'X'),
      value: fc.constantFrom('1', '2'),
    })
    const property = fc.property(fc.array(told, { maxLength: 200, size: 'max' }), all => {
      const values = new LatestValues()
      const naive = new Map<string, Value>()
      for (const each of all) {
        values.apply(each)
        const name = nameOf(each)
        if (each.atUs >= (naive.get(name)?.atUs ?? -1)) naive.set(name, each)
      }
      const found = new Map<string, string>()
      const cells = new Set<number>()
      for (const machine of [0, 1, 2])
        values.each(machine, ({ metric, cell, atUs, value: text }) => {
          cells.add(cell)
          found.set(nameOf({ machine, ...metric }), `${atUs} ${text}`)
        })
      expect(found).to.deep.equal(new Map([...naive].map(([name, { atUs, value: text }]) => [name, `${atUs} ${text}`])))
      expect(cells.size).to.equal(naive.size)
    })
    await forAll(property, { numRuns: 200, shrinks: true })
  })
})

function nameOf({ machine, key, type, subtype }: Pick<Value, 'machine' | 'key' | 'type' | 'subtype'>): string {
  return JSON.stringify([machine, key, type, subtype])
}
