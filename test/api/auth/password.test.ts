import { assert } from 'chai'
import { scryptSync } from 'node:crypto'
import { type Cost, generatePassword, hashPassword, verifyPassword } from '../../../api/auth/password.ts'
import { useFullPasswordCost } from '../../support/password-cost.ts'

describe('passwords', () => {
  useFullPasswordCost()

  it('A password is hashed by scrypt with its own salt at a cost that OWASP recommends', async () => {
    const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
    assert.match(one, /^\$scrypt\$ln=15,r=8,p=3\$[\w+/=]{24}\$[\w+/=]{44}$/)
    assert.notEqual(one, two)
    assert.isTrue(await verifyPassword('correct horse', one))
    assert.isFalse(await verifyPassword('correct horsf', one))
    assert.isFalse(await verifyPassword('', one))
  })

  it('A password is verified at the cost of its stored hash', async () => {
    const salt = Buffer.from('an older salt')
    const hash = scryptSync('old', salt, 32, { N: 2 ** 10, r: 8, p: 1 })
    const kept = `$scrypt$ln=10,r=8,p=1$${salt.toString('base64')}$${hash.toString('base64')}`
    assert.isTrue(await verifyPassword('old', kept))
    assert.isFalse(await verifyPassword('new', kept))
  })

  it('A password is equal in composed and decomposed Unicode', async () => {
    assert.isTrue(await verifyPassword('Mu\u0308ller', await hashPassword('M\u00fcller')))
  })

  it('A password is equal in characters that Unicode declares compatible', async () => {
    const hash = await hashPassword('fish 12')
    assert.isTrue(await verifyPassword('\ufb01sh \uff11\uff12', hash))
    assert.isFalse(await verifyPassword('f1sh 12', hash))
  })

  it('No password matches a missing hash', async () => {
    assert.isFalse(await verifyPassword('', null))
    assert.isFalse(await verifyPassword('', 'none'))
  })

  it('Passwords are hashed off the main thread, and at most 30 at a time are accepted', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => verifyPassword('x', cheap)))
    clearInterval(timer)
    assert.lengthOf(
      outcomes.filter(({ status }) => status === 'fulfilled'),
      30,
    )
    await hashPassword('x')
    assert.isAbove(turns, 0)
  })

  it('A generated password has no easily confused characters and is different each time', () => {
    assert.match(generatePassword(), /^(?:[a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/)
    assert.notEqual(generatePassword(), generatePassword())
  })
})

describe('passwords at a low cost', () => {
  it('Tests hash passwords at a low cost', async () => {
    assert.match(await hashPassword('any'), /^\$scrypt\$ln=8,r=8,p=1\$/)
  })

  it('A correct password matches its hash up to each limit of the cost, and not above it', async () => {
    const isMatch = ({ ln, r, p }: Cost) => {
      const [salt, maxmem] = [Buffer.from('salt'), 2 ** 30]
      const hash = scryptSync('right', salt, 32, { N: 2 ** ln, r, p, maxmem })
      return verifyPassword(
        'right',
        `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`,
      )
    }
    const low = { ln: 5, r: 2, p: 1 }
    for (const limit of [{ ln: 17 }, { r: 16 }, { p: 8 }])
      assert.isTrue(await isMatch({ ...low, ...limit }), JSON.stringify(limit))
    for (const above of [{ ln: 18 }, { r: 17 }, { p: 9 }])
      assert.isFalse(await isMatch({ ...low, ...above }), JSON.stringify(above))
  })

  it('A hash whose cost exceeds the limit is rejected without being computed', async () => {
    const startedMs = performance.now()
    assert.isFalse(await verifyPassword('any', '$scrypt$ln=24,r=4,p=1$AAAA$AAAA'))
    assert.isBelow(performance.now() - startedMs, 5000)
  })

  it('A password without a hash is hashed too, so that the time does not show whether the user exists', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 31 }, () => verifyPassword('x', null)))
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'rejected'),
      outcomes.map((_, index) => index === 30),
    )
  })
})

const cheap = `$scrypt$ln=14,r=8,p=1$${Buffer.from('salt').toString('base64')}$${Buffer.alloc(32).toString('base64')}`
