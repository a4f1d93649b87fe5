import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Sample } from '../../../schema/sample.ts'
import { sortAndDeduplicate, compareSamples } from '../../../processors/timeline/order.ts'
import { compareValues, parseDecimal } from '../../../processors/timeline/values.ts'
import { anyArrival, anySample } from './arbitraries.ts'
import { condition, execution, parts, sample } from './support.ts'
import { asMachineRef } from '../../../schema/refs.ts'

describe('order of samples', () => {
  const table: readonly (readonly [string, readonly Sample[]])[] = [
    ['the microsecond counts first', [execution(1, 'READY'), execution(1.001, 'ACTIVE'), execution(2, 'ACTIVE')]],
    [
      'samples without a sequence come first, then instance and sequence count',
      [
        execution(1, 'READY'),
        sample(1, 'EXECUTION', 'WAIT', { instanceId: 1, sequence: 9 }),
        sample(1, 'EXECUTION', 'STOPPED', { instanceId: 2, sequence: 1 }),
        sample(1, 'EXECUTION', 'ACTIVE', { instanceId: 2, sequence: 2 }),
      ],
    ],
    [
      'clearing conditions precede raising ones, and WARNING precedes FAULT',
      [condition(1, 'NORMAL'), condition(1, 'UNAVAILABLE'), condition(1, 'WARNING'), condition(1, 'FAULT')],
    ],
    [
      'numbers are ordered by size and precede other values',
      [parts(1, '-3'), parts(1, '9'), parts(1, '1e1'), parts(1, ' 5'), parts(1, 'a')],
    ],
    [
      'message, key, type, subtype and native code count last',
      [
        condition(1, 'FAULT', 'b', '', 'z'),
        condition(1, 'FAULT', 'a', 'm', 'k'),
        condition(1, 'FAULT', 'b', 'm', 'k'),
        condition(1, 'FAULT', 'a', 'm', 'l'),
      ],
    ],
  ]
  for (const [name, ordered] of table) {
    it(`In the order of samples, ${name}`, () =>
      expect(sortAndDeduplicate(ordered.toReversed())).to.deep.equal(ordered))
  }

  it('The order of samples does not depend on arrival or copies', () => {
    fc.assert(
      fc.property(fc.array(anySample(), { maxLength: 40 }).chain(anyArrival), ([samples, arrived]) => {
        expect(sortAndDeduplicate(arrived)).to.deep.equal(sortAndDeduplicate(samples))
      }),
    )
  })

  it('Only samples with equal fields compare as equal', () => {
    fc.assert(
      fc.property(anySample(), anySample(), (a, b) => {
        expect(Math.sign(compareSamples(a, b)) + Math.sign(compareSamples(b, a))).to.equal(0)
        if (compareSamples(a, b) === 0) expect(a).to.deep.equal(b)
      }),
    )
  })
})

describe('identity of samples', () => {
  it('Of samples with equal instance and sequence, the first in the order is kept', () => {
    const first = sample(1, 'EXECUTION', 'READY', { instanceId: 7, sequence: 3 })
    const later = sample(5, 'EXECUTION', 'ACTIVE', { instanceId: 7, sequence: 3 })
    expect(sortAndDeduplicate([later, first])).to.deep.equal([first])
  })

  it('Samples with equal sequence but different keys are distinct; spellings of a key are equal', () => {
    const one = sample(1, 'EXECUTION', 'READY', { instanceId: 7, sequence: 3, key: 'Path_1' })
    const other = { ...one, key: 'path 2' }
    expect(sortAndDeduplicate([one, other])).to.have.length(2)
    expect(sortAndDeduplicate([one, { ...one, atUs: one.atUs + 1, key: 'PATH1' }])).to.deep.equal([one])
  })

  it('Equal sequences of two instances or machines are distinct samples', () => {
    const one = sample(1, 'EXECUTION', 'READY', { instanceId: 7, sequence: 3 })
    const other = { ...one, instanceId: 8 }
    expect(sortAndDeduplicate([one, other, { ...one, machineRef: asMachineRef(2) }])).to.have.length(3)
  })

  it('Without a sequence, samples that differ only in their message are copies', () => {
    const a = condition(1, 'FAULT', '9', 'a')
    const b = condition(1, 'FAULT', '9', 'b')
    const between = condition(1, 'FAULT', '9', 'aa', 'other')
    expect(sortAndDeduplicate([b, between, a])).to.deep.equal([a, between])
  })

  it('Values are compared as strings: 1 and 1.0 are two samples', () => {
    expect(sortAndDeduplicate([parts(1, '1'), parts(1, '1.0')])).to.have.length(2)
  })

  it('Spellings of a key are equal', () => {
    expect(sortAndDeduplicate([parts(1, 5, { key: 'PartCount' }), parts(1, 5, { key: 'part_count' })])).to.have.length(
      1,
    )
  })
})

describe('values', () => {
  it('parseDecimal accepts plain decimals and rejects everything else', () => {
    for (const text of ['1', '-1', '+1.5', '.5', '1.', '1e3', '1E-3']) expect(parseDecimal(text)).to.equal(Number(text))
    for (const text of ['', ' 1', '0x10', 'Infinity', 'NaN', '1e999', '1,5', '--1', '.', 'UNAVAILABLE']) {
      expect(parseDecimal(text)).to.equal(null)
    }
  })

  it('compareValues is a consistent order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('1', '01', '2e0', '-5', 'x', 'X', '10', '', '1.0'), { minLength: 3 }),
        texts => {
          const sorted = [...texts].sort(compareValues)
          for (let i = 1; i < sorted.length; i++)
            expect(compareValues(sorted[0] ?? '', sorted[i] ?? '')).to.be.at.most(0)
        },
      ),
    )
  })
})
