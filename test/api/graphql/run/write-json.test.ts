import { expect } from 'chai'
import { assert, asyncProperty, jsonValue } from 'fast-check'
import { mapCooperatively } from '../../../../api/graphql/run/map-cooperatively.ts'
import { writeJson } from '../../../../api/graphql/run/write-json.ts'

describe('long GraphQL responses', () => {
  const written = async (value: unknown) => {
    const chunks: Buffer[] = []
    await writeJson(value, chunk => chunks.push(chunk))
    return Buffer.concat(chunks).toString()
  }

  it('JSON that is written in chunks equals that of JSON.stringify', async () => {
    await assert(
      asyncProperty(jsonValue({ maxDepth: 5 }), async value => {
        expect(await written(value)).to.equal(JSON.stringify(value))
      }),
    )
    const long = Array.from({ length: 20_000 }, (_, i) => ({ name: `Ä ${i}`, list: [i, []] }))
    expect(await written(long)).to.equal(JSON.stringify(long))
    expect(await written({ errors: undefined, data: { list: [], inner: { list: [[], {}] } } })).to.equal(
      '{"data":{"list":[],"inner":{"list":[[],{}]}}}',
    )
  })

  it('Cooperative mapping of an array returns the result of Array.map', async () => {
    const numbers = Array.from({ length: 10_000 }, (_, i) => i)
    expect(await mapCooperatively(numbers, i => i * 2)).to.deep.equal(numbers.map(i => i * 2))
  })
})
