import { expect } from 'chai'
import { assert, asyncProperty, jsonValue } from 'fast-check'
import { writeJson } from '../../../api/json/write-json.ts'

describe('writeJson', () => {
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
})
