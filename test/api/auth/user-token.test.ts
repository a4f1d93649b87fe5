import { createHash } from 'node:crypto'
import { assert } from 'chai'
import jwt from 'jsonwebtoken'
import { authenticate, authenticateToken, authenticateUserToken, InvalidToken } from '../../../api/auth/authenticate.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { issueUserToken, userTokenLifetimeMs, verifyUserToken } from '../../../api/auth/user-token.ts'
import { type DirectRegistrar, directRegistrar } from '../../support/registrar.ts'

const apiKey = 'a key that is long enough to be one of ours'
const otherKey = 'another key of a company that is not the first one'
const nowMs = Date.parse('2026-03-02T08:00:00.000Z')

describe('a user token', () => {
  let registrar: DirectRegistrar
  let token: string

  beforeEach(async () => {
    registrar = directRegistrar(hashKey(apiKey))
    registrar.addCompany('Other', hashKey(otherKey))
    for (const { id } of registrar.records.companies()) await send(id, 'token-secret.make', {})
    token = tokenOf(apiKey)
  })

  const send = (companyId: string, name: string, payload: unknown) =>
    registrar.submit({ companyId, actor: 'test', name, payload })
  const tokenOf = (key: string) => issueUserToken(authenticateToken(key, registrar.records), nowMs)
  const verified = (text: string, atMs = nowMs) => verifyUserToken(text, registrar.records, atMs)
  const signed = (claims: object, secret: string, options: jwt.SignOptions = {}) =>
    jwt.sign(claims, Buffer.from(secret, 'hex'), { algorithm: 'HS256', issuer: 'takt', ...options })
  const secretOf = (index: number) => registrar.records.companies()[index]?.tokenSecret ?? ''

  it('stands for its key, in its company, with its scopes', () => {
    const { key, company } = authenticateToken(apiKey, registrar.records)
    const caller = verified(token)
    assert.equal(caller?.key.id, key.id)
    assert.equal(caller?.company.id, company.id)
    assert.sameMembers([...(caller?.key.scopes ?? [])], [...key.scopes])
  })

  it('says so itself', () => {
    const claims = jwt.decode(token, { json: true })
    const { key, company } = authenticateToken(apiKey, registrar.records)
    assert.deepEqual(claims?.['scopes'], key.scopes)
    assert.equal(claims?.['company'], company.id)
    assert.equal(claims?.sub, key.id)
  })

  it('lasts an hour', () => {
    assert.isNotNull(verified(token, nowMs + userTokenLifetimeMs - 1000))
    assert.isNull(verified(token, nowMs + userTokenLifetimeMs))
  })

  it('is taken where a key is', () => {
    const fresh = issueUserToken(authenticateToken(apiKey, registrar.records), Date.now())
    const { key } = authenticateToken(apiKey, registrar.records)
    assert.equal(authenticate(`Bearer ${fresh}`, registrar.records).key.id, key.id)
    assert.equal(authenticateUserToken(fresh, registrar.records).key.id, key.id)
    assert.throws(() => authenticateUserToken(apiKey, registrar.records), InvalidToken)
  })

  it('ends with its key', async () => {
    const { key, company } = authenticateToken(apiKey, registrar.records)
    await send(company.id, 'key.delete', { id: key.id })
    assert.isNull(verified(token))
  })

  it('loses what its key loses, and wins nothing', async () => {
    const { key, company } = authenticateToken(apiKey, registrar.records)
    await send(company.id, 'key.patch', { id: key.id, scopes: ['reporting', 'machine.read'] })
    assert.sameMembers([...(verified(token)?.key.scopes ?? [])], ['reporting', 'machine.read'])
    const narrow = tokenOf(apiKey)
    await send(company.id, 'key.patch', { id: key.id, scopes: ['reporting', 'machine', 'erp'] })
    assert.sameMembers([...(verified(narrow)?.key.scopes ?? [])], ['reporting', 'machine.read'])
  })

  it('is refused when it is forged', () => {
    const { key, company } = authenticateToken(apiKey, registrar.records)
    const claims = {
      company: company.id,
      sub: key.id,
      scopes: ['reporting'],
      iat: nowMs / 1000,
      exp: nowMs / 1000 + 60,
    }
    assert.isNotNull(verified(signed(claims, secretOf(0))))
    assert.isNull(verified(signed(claims, secretOf(1))), 'with the secret of another company')
    assert.isNull(verified(signed(claims, createHash('sha256').update('guess').digest('hex'))), 'with another secret')
    assert.isNull(verified(signed(claims, secretOf(0), { algorithm: 'HS512' })), 'by another algorithm')
    assert.isNull(verified(jwt.sign(claims, '', { algorithm: 'none' })), 'unsigned')
    assert.isNull(verified(signed(claims, secretOf(0), { issuer: 'other' })), 'by another issuer')
    const [head = '', , signature = ''] = token.split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, scopes: ['machine'] })).toString('base64url')
    assert.isNull(verified(`${head}.${changed}.${signature}`), 'changed')
  })

  it('is refused when a company signs for the key of another', () => {
    const { key } = authenticateToken(apiKey, registrar.records)
    const other = authenticateToken(otherKey, registrar.records).company
    const claims = { company: other.id, sub: key.id, scopes: ['reporting'], exp: nowMs / 1000 + 60 }
    assert.isNull(verified(signed(claims, secretOf(1))))
  })

  it('is refused when it is no token at all', () => {
    for (const text of [
      '',
      'a.b.c',
      '..',
      'e30.e30.e30',
      `${token}x`,
      token.slice(1),
      'x'.repeat(10_000),
      `${token}.y`,
    ])
      assert.isNull(verified(text), text.slice(0, 20))
  })

  it('has a secret of its own in each company, which stays', async () => {
    const [first, second] = [secretOf(0), secretOf(1)]
    assert.match(first, /^[0-9a-f]{64}$/)
    assert.notEqual(first, second)
    const [company] = registrar.records.companies()
    const outcome = await send(company?.id ?? '', 'token-secret.make', {})
    assert.deepEqual(outcome, { ok: true, result: null })
    assert.equal(secretOf(0), first)
    await send(company?.id ?? '', 'settings.put', {})
    assert.equal(secretOf(0), first, 'also when settings change')
  })
})
