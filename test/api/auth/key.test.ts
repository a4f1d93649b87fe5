import { assert } from 'chai'
import { generateKey, hashKey, isPlausibleKey } from '../../../api/auth/key.ts'

describe('API keys', () => {
  it('A generated key is takt_ and 49 characters of base62, and no two are equal', () => {
    assert.match(generateKey(), /^takt_[0-9A-Za-z]{49}$/)
    assert.notEqual(generateKey(), generateKey())
    assert.lengthOf(generateKey(Buffer.alloc(32)), generateKey(Buffer.alloc(32, 255)).length)
  })

  it('The checksum of a generated key detects every single mistyped character', () => {
    const key = generateKey()
    assert.isTrue(isPlausibleKey(key))
    for (let index = 5; index < key.length; index++) {
      const other = key[index] === 'x' ? 'y' : 'x'
      assert.isFalse(isPlausibleKey(key.slice(0, index) + other + key.slice(index + 1)), `character ${index}`)
    }
  })

  it('A key without the prefix takt_ is plausible if it has 32 to 512 characters', () => {
    assert.isTrue(isPlausibleKey('0123456789abcdef0123456789abcdef'))
    assert.isFalse(isPlausibleKey('0123456789abcdef0123456789abcde'))
    assert.isFalse(isPlausibleKey('x'.repeat(513)))
  })

  it('A key is stored as its SHA-256', () => {
    assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
