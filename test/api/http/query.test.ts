import { assert } from 'chai'
import { convertQuery } from '../../../api/http/query.ts'
import { bool, int, partial, text } from '../../../schema/types.ts'

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
})
