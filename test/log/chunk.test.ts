import { expect } from 'chai'
import { encodeChunk } from '../../log/embedded/chunk.ts'

describe('a chunk of the embedded log', () => {
  it('keeps no more memory than its records take', () => {
    const { length, buffer } = encodeChunk([{ key: 'm', value: Buffer.from('{}') }])
    expect(length).to.be.lessThan(10)
    expect(buffer.byteLength).to.be.lessThan(50)
  })
})
