import { assert } from 'chai'
import { Type } from 'typebox'
import { coerceToSchema, coerceInSteps } from '../../schema/coerce.ts'
import { runSync } from '../../shared/async/steps.ts'
import { jsonOf, list, nullable, object, text } from '../../schema/types.ts'

const schema = jsonOf(
  object({ name: text, count: nullable(Type.Number()), parts: list(object({ name: text, isGood: Type.Boolean() })) }),
)

describe('coerceToSchema', () => {
  it('Scalars are converted to the type in the schema if no information is lost', () => {
    const given = { name: 7, count: '1.5', parts: [{ name: true, isGood: 'false' }, 'none'] }
    assert.deepEqual(coerceToSchema(given, schema), {
      name: '7',
      count: 1.5,
      parts: [{ name: 'true', isGood: false }, 'none'],
    })
    assert.deepEqual(coerceToSchema({ count: '12345678901234567890' }, schema), { count: '12345678901234567890' })
    assert.deepEqual(coerceToSchema({ count: null, parts: null }, schema), { count: null, parts: null })
  })

  it('Properties that the schema does not name are kept or removed at every level', () => {
    const given = { name: 'A', other: [1], parts: [{ name: 'B', more: { a: 1 } }] }
    assert.deepEqual(coerceToSchema(given, schema), given)
    assert.deepEqual(runSync(coerceInSteps(given, schema, 'left out')), { name: 'A', parts: [{ name: 'B' }] })
  })

  it('A property named __proto__ is handled like any other', () => {
    const given: unknown = JSON.parse('{"__proto__": {"name": "B"}, "name": 1}')
    assert.equal(JSON.stringify(coerceToSchema(given, schema)), '{"__proto__":{"name":"B"},"name":"1"}')
    assert.deepEqual(runSync(coerceInSteps(given, schema, 'left out')), { name: '1' })
  })
})
