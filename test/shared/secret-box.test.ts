import { expect } from 'chai'
import { SecretBox } from '../../shared/secret-box.ts'

describe('secret box', () => {
  const secret = Buffer.alloc(32, 'a')
  const box = new SecretBox(secret)

  it('A text is decrypted with the same secret and context', () => {
    for (const text of ['', 'pässword', 'x'.repeat(65_536)])
      expect(new SecretBox(secret).decrypt(box.encrypt(text, 'c/1'), 'c/1')).to.equal(text)
    expect(box.encrypt('same', 'c/1')).to.not.equal(box.encrypt('same', 'c/1'))
  })

  it('Another secret, another context and changed bytes are rejected', () => {
    const sealed = box.encrypt('password', 'c/1')
    const other = new SecretBox(Buffer.alloc(32, 'b'))
    expect([box.isReadable(sealed), other.isReadable(sealed)]).to.deep.equal([true, false])
    expect(() => other.decrypt(sealed, 'c/1')).to.throw('another key')
    expect(() => box.decrypt(sealed, 'c/2')).to.throw()
    const [version, keyId, bytes = ''] = sealed.split('.')
    for (const at of [0, 15, 20, 30]) {
      const changed = `${bytes.slice(0, at)}${bytes[at] === 'A' ? 'B' : 'A'}${bytes.slice(at + 1)}`
      expect(() => box.decrypt([version, keyId, changed].join('.'), 'c/1'), String(at)).to.throw()
    }
    expect(() => box.decrypt(`${version}.${keyId}.`, 'c/1')).to.throw()
  })
})
