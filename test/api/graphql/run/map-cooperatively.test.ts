import { expect } from 'chai'
import { mapCooperatively } from '../../../../api/graphql/run/map-cooperatively.ts'

describe('mapCooperatively', () => {
  it('Cooperative mapping of an array returns the result of Array.map', async () => {
    const numbers = Array.from({ length: 10_000 }, (_, i) => i)
    expect(await mapCooperatively(numbers, i => i * 2)).to.deep.equal(numbers.map(i => i * 2))
  })
})
