import { expect } from 'chai'
import { encodeChunk } from '../../../log/embedded/chunk.ts'

describe('encodeChunk', () => {
  it('An encoded chunk allocates no more memory than its records need', () => {
    const { length, buffer } = encodeChunk([{ key: 'm', value: Buffer.from('{}') }])
    expect(length).to.be.lessThan(10)
    expect(buffer.byteLength).to.be.lessThan(50)
  })
})
