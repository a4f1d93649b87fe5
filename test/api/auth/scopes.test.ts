import { assert } from 'chai'
import { allOf, anyKey, anyOf, permits } from '../../../api/auth/scopes.ts'

describe('scopes', () => {
  it('A scope includes its own .read scope, and no other scope', () => {
    assert.isTrue(permits(anyOf('machine.read'), ['machine']))
    assert.isTrue(permits(anyOf('system.gateway.read'), ['system.gateway']))
    assert.isFalse(permits(anyOf('machine'), ['machine.read']))
    assert.isFalse(permits(anyOf('gateway.read'), ['system.gateway']))
    assert.isFalse(permits(anyOf('reporting'), []))
  })

  it('A route with several scopes requires either any one of them or all of them', () => {
    assert.isTrue(permits(anyOf('machine.read', 'reporting'), ['reporting']))
    assert.isFalse(permits(allOf('part-adjustment', 'reporting'), ['reporting']))
    assert.isTrue(permits(allOf('part-adjustment', 'reporting'), ['reporting', 'part-adjustment']))
    assert.isTrue(permits(anyKey, []))
  })
})
