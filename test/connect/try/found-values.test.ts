import { expect } from 'chai'
import { FoundValues } from '../../../connect/try/found-values.ts'
import { usedHeapMb } from '../../support/heap.ts'

describe('values that were found in a source', () => {
  it('Names and examples do not keep the lines of which they are parts', () => {
    const found = new FoundValues()
    const beforeMb = usedHeapMb()
    for (let number = 0; number < 40; number++)
      found.addLine(
        Buffer.from(
          `|key of the machine ${number}|value ${number} of the key|padding|${'x'.repeat(1 << 20)}`,
        ).toString(),
      )
    expect(usedHeapMb() - beforeMb).to.be.below(10)
    expect(found.take().values).to.have.lengthOf(41)
  })
})
