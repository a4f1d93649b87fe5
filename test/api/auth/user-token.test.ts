import { createHash } from 'node:crypto'
import { assert } from 'chai'
import jwt from 'jsonwebtoken'
import { accessByRecords } from '../../../api/auth/access.ts'
import { authenticate, authenticateToken, authenticateUserToken, InvalidToken } from '../../../api/auth/authenticate.ts'
import { type AuthDeps, defaultSessionRules } from '../../../api/auth/session.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { issueUserToken, userTokenLifetimeMs, verifyUserToken } from '../../../api/auth/user-token.ts'
import type { CommandName, Payload } from '../../../schema/commands/commands.ts'
import { type DirectRegistrar, directRegistrar } from '../../support/registrar.ts'

const apiKey = 'a key that is long enough to be one of ours'
const otherKey = 'another key of a company that is not the first one'
const nowMs = Date.parse('2026-03-02T08:00:00.000Z')

describe('user tokens', () => {
  let registrar: DirectRegistrar
  let token: string

  beforeEach(async () => {
    registrar = directRegistrar(hashKey(apiKey))
    registrar.addCompany('Other', hashKey(otherKey))
    for (const { id } of registrar.records.companies()) await send(id, 'token-secret.make', {})
    token = await tokenOf(apiKey)
  })

  const send = <Name extends CommandName>(companyId: string, name: Name, payload: Payload<Name>) =>
    registrar.perform(name, payload, companyId)
  const deps = (clock = Date.now): AuthDeps => ({
    access: accessByRecords(registrar.records),
    oauth: null,
    sessionRules: defaultSessionRules,
    clock,
  })
  const callerOf = (key: string) => authenticateToken(key, deps())
  const tokenOf = async (key: string) => issueUserToken(await callerOf(key), nowMs)
  const verified = (text: string, atMs = nowMs) =>
    verifyUserToken(
      text,
      deps(() => atMs),
    )
  const signed = (claims: object, secret: string, options: jwt.SignOptions = {}) =>
    jwt.sign(claims, Buffer.from(secret, 'hex'), { algorithm: 'HS256', issuer: 'takt', ...options })
  const secretOf = (index: number) => registrar.records.companies()[index]?.tokenSecret ?? ''

  it('A user token authenticates as its key, with the company and scopes of the key', async () => {
    const { id, scopes, company } = await callerOf(apiKey)
    const caller = await verified(token)
    assert.equal(caller?.id, id)
    assert.equal(caller?.company.id, company.id)
    assert.sameMembers([...(caller?.scopes ?? [])], [...scopes])
  })

  it('The claims of a user token name its key, company and scopes', async () => {
    const claims = jwt.decode(token, { json: true })
    const { id, scopes, company } = await callerOf(apiKey)
    assert.deepEqual(claims?.['scopes'], scopes)
    assert.equal(claims?.['company'], company.id)
    assert.equal(claims?.sub, id)
  })

  it('A user token is valid for one hour', async () => {
    assert.isNotNull(await verified(token, nowMs + userTokenLifetimeMs - 1000))
    assert.isNull(await verified(token, nowMs + userTokenLifetimeMs))
  })

  it('A token issued for a token expires no later than the first', async () => {
    const later = await verified(token, nowMs + userTokenLifetimeMs / 2)
    const another = later && issueUserToken(later, nowMs + userTokenLifetimeMs / 2)
    assert.isNotNull(await verified(another ?? '', nowMs + userTokenLifetimeMs - 1000))
    assert.isNull(await verified(another ?? '', nowMs + userTokenLifetimeMs))
  })

  it('A user token is accepted where an API key is, but not the reverse', async () => {
    const fresh = issueUserToken(await callerOf(apiKey), Date.now())
    const { id } = await callerOf(apiKey)
    assert.equal((await authenticate(`Bearer ${fresh}`, deps())).id, id)
    assert.equal((await authenticateUserToken(fresh, deps())).id, id)
    const refused = await authenticateUserToken(apiKey, deps()).catch((error: unknown) => error)
    assert.instanceOf(refused, InvalidToken)
  })

  it('A user token becomes invalid when its key is deleted', async () => {
    const { id, company } = await callerOf(apiKey)
    await send(company.id, 'key.delete', { id })
    assert.isNull(await verified(token))
  })

  it('A user token loses scopes that its key loses, and gains none that its key gains', async () => {
    const { id, company } = await callerOf(apiKey)
    await send(company.id, 'key.patch', { id, scopes: ['reporting', 'machine.read'] })
    assert.sameMembers([...((await verified(token))?.scopes ?? [])], ['reporting', 'machine.read'])
    const narrow = await tokenOf(apiKey)
    await send(company.id, 'key.patch', { id, scopes: ['reporting', 'machine', 'erp'] })
    assert.sameMembers([...((await verified(narrow))?.scopes ?? [])], ['reporting', 'machine.read'])
  })

  it('A forged user token is rejected', async () => {
    const { id, company } = await callerOf(apiKey)
    const claims = {
      company: company.id,
      sub: id,
      scopes: ['reporting'],
      iat: nowMs / 1000,
      exp: nowMs / 1000 + 60,
    }
    assert.isNotNull(await verified(signed(claims, secretOf(0))))
    assert.isNull(await verified(signed(claims, secretOf(1))), 'with the secret of another company')
    assert.isNull(
      await verified(signed(claims, createHash('sha256').update('guess').digest('hex'))),
      'with another secret',
    )
    assert.isNull(await verified(signed(claims, secretOf(0), { algorithm: 'HS512' })), 'by another algorithm')
    assert.isNull(await verified(jwt.sign(claims, '', { algorithm: 'none' })), 'unsigned')
    assert.isNull(await verified(signed(claims, secretOf(0), { issuer: 'other' })), 'by another issuer')
    const [head = '', , signature = ''] = token.split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, scopes: ['machine'] })).toString('base64url')
    assert.isNull(await verified(`${head}.${changed}.${signature}`), 'changed')
  })

  it('A user token is valid for one hour, even if its claims state a longer time', async () => {
    const { id, company } = await callerOf(apiKey)
    const nowS = nowMs / 1000
    const tenYearsS = 315_360_000
    const claims = { company: company.id, sub: id, scopes: ['reporting'], iat: nowS, exp: nowS + tenYearsS }
    const long = signed(claims, secretOf(0))
    assert.equal((await verified(long))?.tokenEndsAtMs, nowMs + userTokenLifetimeMs)
    assert.isNull(await verified(long, nowMs + userTokenLifetimeMs + 1000), 'after its hour')
    const { iat: _, ...timeless } = claims
    assert.isNull(await verified(signed(timeless, secretOf(0), { noTimestamp: true })), 'without a time')
    assert.isNull(await verified(signed({ ...claims, iat: nowS + 3600 }, secretOf(0))), 'from the future')
  })

  it('A user token that one company signs for the key of another is rejected', async () => {
    const { id } = await callerOf(apiKey)
    const other = (await callerOf(otherKey)).company
    const claims = { company: other.id, sub: id, scopes: ['reporting'], exp: nowMs / 1000 + 60 }
    assert.isNull(await verified(signed(claims, secretOf(1))))
  })

  it('Malformed text is rejected as a user token', async () => {
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
      assert.isNull(await verified(text), text.slice(0, 20))
  })

  it('Each company has its own token secret, which does not change', async () => {
    const [first, second] = [secretOf(0), secretOf(1)]
    assert.match(first, /^[0-9a-f]{64}$/)
    assert.notEqual(first, second)
    const [company] = registrar.records.companies()
    assert.isNull(await send(company?.id ?? '', 'token-secret.make', {}))
    assert.equal(secretOf(0), first)
    await send(company?.id ?? '', 'settings.put', {})
    assert.equal(secretOf(0), first, 'also when settings change')
  })
})
