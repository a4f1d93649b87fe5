import { expect } from 'chai'
import { assert, asyncProperty, jsonValue } from 'fast-check'
import { jsonInTurns, mapInTurns } from '../../../api/graphql/run/in-turns.ts'

describe('long answers of GraphQL', () => {
  it('are the same JSON that is written at once', async () => {
    await assert(
      asyncProperty(jsonValue({ maxDepth: 5 }), async value => {
        expect(await jsonInTurns(value)).to.equal(JSON.stringify(value))
      }),
    )
    expect(await jsonInTurns({ errors: undefined, data: { list: [], inner: { list: [[], {}] } } })).to.equal(
      '{"data":{"list":[],"inner":{"list":[[],{}]}}}',
    )
  })

  it('are mapped as arrays are', async () => {
    const numbers = Array.from({ length: 10_000 }, (_, i) => i)
    expect(await mapInTurns(numbers, i => i * 2)).to.deep.equal(numbers.map(i => i * 2))
  })
})
