import { assert } from 'chai'
import { convertQuery as convert } from '../../../api/http/query.ts'
import { bool, int, list, looseInstant, partial, text } from '../../../schema/types.ts'

const convertQuery = (...asked: Parameters<typeof convert>) => convert(...asked).query

describe('query strings', () => {
  const schema = partial({ on: bool, n: int, text })

  it('A query parameter is converted to the type of its schema, and the last of a repeated name counts', () => {
    assert.deepEqual(convertQuery({ on: 'true', n: '12', text: '12', other: '1' }, schema), {
      on: true,
      n: 12,
      text: '12',
    })
    assert.deepEqual(convertQuery({ on: '' }, schema), { on: true })
    assert.deepEqual(convertQuery({ on: ['true', '0'] }, schema), { on: false })
  })

  it('A query parameter that cannot be converted remains a string', () => {
    assert.deepEqual(convertQuery({ on: 'maybe', n: 'twelve' }, schema), { on: 'maybe', n: 'twelve' })
  })

  it('A repeated query parameter, with or without brackets, is one list', () => {
    const lists = partial({ ids: list(text) })
    assert.deepEqual(convertQuery({ ids: 'a' }, lists), { ids: ['a'] })
    assert.deepEqual(convertQuery({ ids: ['a', 'b'], 'ids[]': 'c' }, lists), { ids: ['a', 'b', 'c'] })
  })

  it('The offset of an instant in a query is accepted even if its plus sign was not encoded', () => {
    const instants = partial({ start: looseInstant })
    for (const offset of ['02:00', '0200', '02'])
      assert.deepEqual(convertQuery({ start: `2026-03-02T08:00:00 ${offset}` }, instants), {
        start: `2026-03-02T08:00:00+${offset}`,
      })
    assert.deepEqual(convertQuery({ start: '2026-03-02 08:00' }, instants), { start: '2026-03-02 08:00' })
  })

  it('An empty query parameter is dropped with a warning', () => {
    const { query, warnings } = convert({ text: '', n: '' }, schema)
    assert.deepEqual(query, {})
    assert.deepEqual(
      warnings.map(({ field }) => field),
      ['n', 'text'],
    )
  })
})
