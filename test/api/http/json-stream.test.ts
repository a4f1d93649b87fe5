import { expect } from 'chai'
import * as fc from 'fast-check'
import { hasStreamedList } from '../../../api/http/respond.ts'
import { jsonChunks, JsonList } from '../../../api/json/write-json.ts'

describe('responses with a list that is written item by item', () => {
  const anyAnswer = fc.record({ before: fc.jsonValue(), items: fc.array(fc.jsonValue()), after: fc.jsonValue() })

  it('A list that is written item by item has the same JSON as an array', () => {
    fc.assert(
      fc.property(anyAnswer, answer => {
        const streamed = { ...answer, items: listOf(answer.items), left: undefined }
        expect([...jsonChunks(streamed)].join('')).to.equal(JSON.stringify(answer))
      }),
    )
  })

  it('A response can consist of a list that is written item by item', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), items => {
        expect([...jsonChunks(listOf(items))].join('')).to.equal(JSON.stringify(items))
      }),
    )
    expect(hasStreamedList(listOf([]))).to.equal(true)
    expect(hasStreamedList([1])).to.equal(false)
    expect(hasStreamedList('text')).to.equal(false)
  })

  it('A list is written in chunks, and its items are created on demand', () => {
    let made = 0
    const items = new JsonList(function* (into) {
      for (; made < 100_000; made++) {
        into.text(`${made === 0 ? '' : ','}{"number":${made}}`)
        yield
      }
    })
    const chunks = jsonChunks({ items })
    chunks.next()
    expect(made).to.be.within(1, 10_000)
    const rest = [...chunks]
    expect(rest.length).to.be.greaterThan(10)
    expect(made).to.equal(100_000)
  })

  it('Only a response that contains a JsonList is written item by item', () => {
    expect(hasStreamedList({ items: [1] })).to.equal(false)
    expect(hasStreamedList({ items: 'text' })).to.equal(false)
    expect(hasStreamedList({ items: listOf([]) })).to.equal(true)
  })
})

function listOf(items: readonly unknown[]): JsonList {
  return new JsonList(function* (into) {
    for (const [i, item] of items.entries()) {
      into.text((i === 0 ? '' : ',') + JSON.stringify(item))
      yield
    }
  })
}
