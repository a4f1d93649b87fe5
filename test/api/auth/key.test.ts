import { assert } from 'chai'
import { generateKey, hashKey, isPlausibleKey } from '../../../api/auth/key.ts'

describe('API keys', () => {
  it('are takt_ and 49 characters of base62, and no two alike', () => {
    assert.match(generateKey(), /^takt_[0-9A-Za-z]{49}$/)
    assert.notEqual(generateKey(), generateKey())
    assert.lengthOf(generateKey(Buffer.alloc(32)), generateKey(Buffer.alloc(32, 255)).length)
  })

  it('carry a check that finds every mistyped character', () => {
    const key = generateKey()
    assert.isTrue(isPlausibleKey(key))
    for (let index = 5; index < key.length; index++) {
      const other = key[index] === 'x' ? 'y' : 'x'
      assert.isFalse(isPlausibleKey(key.slice(0, index) + other + key.slice(index + 1)), `character ${index}`)
    }
  })

  it('may be any text of 32 characters and more', () => {
    assert.isTrue(isPlausibleKey('0123456789abcdef0123456789abcdef'))
    assert.isFalse(isPlausibleKey('0123456789abcdef0123456789abcde'))
    assert.isFalse(isPlausibleKey('x'.repeat(513)))
  })

  it('are stored as their SHA-256', () => {
    assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
