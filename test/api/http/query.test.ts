import { assert } from 'chai'
import { convertQuery as convert } from '../../../api/http/query.ts'
import { bool, int, list, looseInstant, partial, text } from '../../../schema/types.ts'

const convertQuery = (...asked: Parameters<typeof convert>) => convert(...asked).query

describe('query strings', () => {
  const schema = partial({ on: bool, n: int, text })

  it('become what the schema says, of repeated names the last', () => {
    assert.deepEqual(convertQuery({ on: 'true', n: '12', text: '12', other: '1' }, schema), {
      on: true,
      n: 12,
      text: '12',
    })
    assert.deepEqual(convertQuery({ on: '' }, schema), { on: true })
    assert.deepEqual(convertQuery({ on: ['true', '0'] }, schema), { on: false })
  })

  it('stay texts where they can not', () => {
    assert.deepEqual(convertQuery({ on: 'maybe', n: 'twelve' }, schema), { on: 'maybe', n: 'twelve' })
  })

  it('join a name, its brackets and its repetitions to one list', () => {
    const lists = partial({ ids: list(text) })
    assert.deepEqual(convertQuery({ ids: 'a' }, lists), { ids: ['a'] })
    assert.deepEqual(convertQuery({ ids: ['a', 'b'], 'ids[]': 'c' }, lists), { ids: ['a', 'b', 'c'] })
  })

  it('take an offset whose plus was not encoded', () => {
    const instants = partial({ start: looseInstant })
    for (const offset of ['02:00', '0200', '02'])
      assert.deepEqual(convertQuery({ start: `2026-03-02T08:00:00 ${offset}` }, instants), {
        start: `2026-03-02T08:00:00+${offset}`,
      })
    assert.deepEqual(convertQuery({ start: '2026-03-02 08:00' }, instants), { start: '2026-03-02 08:00' })
  })

  it('filter nothing where they are empty, and say so', () => {
    const { query, warnings } = convert({ text: '', n: '' }, schema)
    assert.deepEqual(query, {})
    assert.deepEqual(
      warnings.map(({ field }) => field),
      ['n', 'text'],
    )
  })
})
