import { expect } from 'chai'
import * as fc from 'fast-check'
import { PackedSamples } from '../../../processors/partitions/packed-samples.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import type { Sample } from '../../../schema/sample.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { anySample } from '../timeline/arbitraries.ts'
import { sample } from '../timeline/support.ts'

const machineRef = asMachineRef(7)

describe('PackedSamples', () => {
  it('Packed samples are returned sorted and without duplicates, also when more are pushed after a read', () => {
    const some = fc.array(anySample().map((each): Sample => Object.assign({}, each, { machineRef })))
    fc.assert(
      fc.property(fc.array(some), batches => {
        const packed = new PackedSamples()
        const pushed = batches.flatMap(batch => {
          for (const each of batch) packed.push(each)
          packed.arranged(machineRef)
          return batch
        })
        const expected = sortAndDeduplicate(pushed)
        expect(packed.arranged(machineRef)).to.deep.equal(expected)
        expect(packed.length).to.equal(expected.length)
      }),
    )
  })

  it('25,000 packed samples with different messages are returned unchanged', () => {
    const packed = new PackedSamples()
    const samples = Array.from({ length: 25_000 }, (_, i) =>
      sample(i / 10, 'SYSTEM', 'FAULT', { machineRef, message: `message ${i}`, sequence: i, instanceId: 1 }),
    )
    for (const each of samples) packed.push(each)
    expect(packed.arranged(machineRef)).to.deep.equal(samples)
  })
})
