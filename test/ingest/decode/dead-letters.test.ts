import { expect } from 'chai'
import { maxDeadLetterLength, SamplePacker } from '../../../ingest/decode/dead-letters.ts'

function packed(maxNames: number, samples: readonly (readonly [name: string, json: string])[]): string[] {
  const values: string[] = []
  const packer = new SamplePacker<string>(maxNames, (kind, value) => values.push(`${kind}: ${value}`))
  for (const [name, json] of samples) packer.add(name, 'others', json, isShared => (isShared ? 'several' : name))
  packer.end()
  return values
}

describe('SamplePacker', () => {
  it('Rejected samples of one name share a dead letter; a single sample is written without an array', () => {
    const values = packed(10, [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ])
    expect(values).to.deep.equal(['a: [1,3]', 'b: 2'])
  })

  it('Beyond the limit of names, samples of different names share a dead letter', () => {
    const values = packed(2, [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', '4'],
      ['a', '5'],
    ])
    expect(values).to.deep.equal(['a: [1,5]', 'b: 2', 'several: [3,4]'])
  })

  it('A dead letter is filled up to its maximum length', () => {
    const half = (maxDeadLetterLength - 3) / 2
    const [shorter, longer] = [Math.floor(half), Math.ceil(half)].map(length => '1'.repeat(length))
    const exact = packed(1, [
      ['', shorter ?? ''],
      ['', longer ?? ''],
    ])
    expect(exact.map(value => value.length - ': '.length)).to.deep.equal([maxDeadLetterLength])
    const over = packed(1, [
      ['', longer ?? ''],
      ['', longer ?? ''],
    ])
    expect(over).to.have.lengthOf(2)
  })
})
