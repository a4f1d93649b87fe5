import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { accessByRecords } from '../../../api/auth/access.ts'
import type { AuthDeps } from '../../../api/auth/auth-deps.ts'
import { InvalidToken } from '../../../api/auth/authenticate.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { defaultSessionRules } from '../../../api/auth/session-rules.ts'
import { createOAuthCheck } from '../../../api/live/oauth.ts'
import { createTokenCheck, type TokenCheck } from '../../../api/live/token-check.ts'
import { adminKey } from '../../support/api.ts'
import { directRegistrar, type DirectRegistrar } from '../../support/registrar.ts'

const issuer = 'https://id.example'
const audience = 'takt'

describe('the token of a join', () => {
  let provider: Server
  let registrar: DirectRegistrar
  let check: TokenCheck
  let auth: AuthDeps
  let sign: (claims: JWTPayload, changes?: { issuer?: string; audience?: string; expires?: string }) => Promise<string>

  before(async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
    provider = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })))
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    const address = provider.address()
    const port = typeof address === 'object' ? address?.port : 0
    sign = (claims, { issuer: by = issuer, audience: to = audience, expires = '1h' } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(by)
        .setAudience(to)
        .setExpirationTime(expires)
        .sign(privateKey)
    registrar = directRegistrar(hashKey(adminKey))
    const jwksUrl = `http://127.0.0.1:${port}/keys`
    const oauth = createOAuthCheck({ jwksUrl, issuer, audience, companyClaim: 'company', scopesClaim: 'scope' })
    auth = { access: accessByRecords(registrar.records), sessionRules: defaultSessionRules, clock: Date.now }
    check = createTokenCheck(auth, registrar.records, oauth)
  })
  after(() => provider?.close())

  it('may be a key', async () => {
    const { companyId, expires, standsFor } = await check(adminKey)
    expect([companyId, expires, standsFor.length]).to.deep.equal([registrar.company.id, false, 1])
  })

  it('may be an access token of the provider, for the company and the scopes that it names', async () => {
    const company = registrar.company.id
    expect(await check(await sign({ company, scope: 'machine.read openid' }))).to.deep.equal({
      companyId: company,
      scopes: ['machine.read', 'openid'],
      standsFor: [],
      expires: true,
    })
    expect((await check(await sign({ company, scope: ['reporting'] }))).scopes).to.deep.equal(['reporting'])
  })

  it('is nothing else', async () => {
    const company = registrar.company.id
    const claims = { company, scope: 'reporting' }
    const good = await sign(claims)
    const other = await generateKeyPair('ES256')
    const forged = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).setIssuer(issuer)
    const bad = [
      'nonsense',
      '',
      `${good.slice(0, -4)}AAAA`,
      await sign(claims, { issuer: 'https://elsewhere.example' }),
      await sign(claims, { audience: 'others' }),
      await sign(claims, { expires: '-1s' }),
      await sign({ ...claims, company: 'none' }),
      await sign({ scope: 'reporting' }),
      await sign({ company }),
      await forged.setAudience(audience).setExpirationTime('1h').sign(other.privateKey),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
    ]
    for (const token of bad) {
      const error: unknown = await check(token).catch((failure: unknown) => failure)
      expect(error, token).to.be.instanceOf(InvalidToken)
    }
  })

  it('is not judged while the provider is away', async () => {
    const settings = { issuer, audience, companyClaim: 'company', scopesClaim: 'scope' }
    const away = createTokenCheck(
      auth,
      registrar.records,
      createOAuthCheck({ ...settings, jwksUrl: 'http://127.0.0.1:9/' }),
    )
    const token = await sign({ company: registrar.company.id, scope: 'reporting' })
    const error: unknown = await away(token).catch((failure: unknown) => failure)
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(InvalidToken)
    expect((await away(adminKey)).companyId).to.equal(registrar.company.id)
  })
})
