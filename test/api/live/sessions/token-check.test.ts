import { expect } from 'chai'
import { generateKeyPair, SignJWT } from 'jose'
import { accessByRecords } from '../../../../api/auth/access.ts'
import { InvalidToken } from '../../../../api/auth/authenticate.ts'
import { hashKey } from '../../../../api/auth/key.ts'
import { createOAuthCheck } from '../../../../api/auth/oauth.ts'
import { defaultSessionRules } from '../../../../api/auth/session.ts'
import { createThrottle } from '../../../../api/auth/throttle.ts'
import { createTokenCheck, type TokenCheck, type TokenCheckDeps } from '../../../../api/live/sessions/token-check.ts'
import { ApiError } from '../../../../schema/errors.ts'
import { adminKey } from '../../../support/api.ts'
import { type OAuthProvider, startOAuthProvider } from '../../../support/oauth-provider.ts'
import { directRegistrar, type DirectRegistrar } from '../../../support/registrar.ts'

const address = '192.0.2.1'
const someGuesses = 20

describe('the token of a live join', () => {
  let provider: OAuthProvider
  let registrar: DirectRegistrar
  let check: TokenCheck
  let deps: TokenCheckDeps

  before(async () => {
    provider = await startOAuthProvider()
    registrar = directRegistrar(hashKey(adminKey))
    deps = {
      access: accessByRecords(registrar.records),
      oauth: createOAuthCheck(provider.settings),
      guesses: createThrottle({ limit: someGuesses, windowMs: 60_000 }),
      records: registrar.records,
      sessionRules: defaultSessionRules,
      clock: Date.now,
    }
    check = createTokenCheck(deps)
  })
  after(() => provider?.close())

  it('An API key is accepted in a live join', async () => {
    const { companyId, tokenEndsAtMs, standsFor } = await check(adminKey, address)
    expect([companyId, tokenEndsAtMs, standsFor.length]).to.deep.equal([registrar.company.id, null, 1])
  })

  it('An access token of the provider is accepted in a live join, with its company and scopes', async () => {
    const company = registrar.company.id
    const { tokenEndsAtMs, ...caller } = await check(
      await provider.sign({ company, scope: 'machine.read openid' }),
      address,
    )
    expect(tokenEndsAtMs).to.be.within(Date.now() + 3_600_000, Date.now() + 3_660_000)
    expect(caller).to.deep.equal({
      companyId: company,
      scopes: ['machine.read'],
      standsFor: ['oauth:ada'],
    })
    expect((await check(await provider.sign({ company, scope: ['reporting'] }), address)).scopes).to.deep.equal([
      'reporting',
    ])
  })

  it("An access token is accepted if the provider's clock differs by at most the leeway", async () => {
    const nowS = Math.floor(Date.now() / 1000)
    const accepts = async (claims: object, expires: number, leewayS = 60) => {
      const token = await provider.sign({ company: registrar.company.id, scope: 'reporting', ...claims }, { expires })
      const oauth = createOAuthCheck({ ...provider.settings, leewayS })
      const caller = await createTokenCheck({ ...deps, oauth })(token, address).catch((error: unknown) => error)
      if (caller instanceof InvalidToken) return false
      expect(caller).to.include({ tokenEndsAtMs: (expires + leewayS) * 1000 })
      return true
    }
    expect(await accepts({ nbf: nowS + 5, iat: nowS + 5 }, nowS - 5)).to.equal(true)
    expect(await accepts({ nbf: nowS + 55, iat: nowS + 55 }, nowS - 50)).to.equal(true)
    expect(await accepts({ nbf: nowS + 70 }, nowS + 3600)).to.equal(false)
    expect(await accepts({ iat: nowS + 70 }, nowS + 3600)).to.equal(false)
    expect(await accepts({}, nowS - 61)).to.equal(false)
    expect(await accepts({ nbf: nowS + 300 }, nowS + 3600, 310)).to.equal(true)
    expect(await accepts({ nbf: nowS + 5 }, nowS + 3600, 0)).to.equal(false)
  })

  it('Any token other than a valid key or access token is rejected in a live join', async () => {
    const company = registrar.company.id
    const claims = { company, scope: 'reporting' }
    const good = await provider.sign(claims)
    const { settings } = provider
    const other = await generateKeyPair('ES256')
    const forged = new SignJWT({ sub: 'ada', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(settings.issuer)
    const bad = [
      'nonsense',
      '',
      `${good.slice(0, -4)}AAAA`,
      await provider.sign(claims, { issuer: 'https://elsewhere.example' }),
      await provider.sign(claims, { audience: 'others' }),
      await provider.sign(claims, { expires: '-61s' }),
      await provider.sign({ ...claims, company: 'none' }),
      await provider.sign({ scope: 'reporting' }),
      await provider.sign({ company }),
      await provider.sign({ ...claims, sub: 'x'.repeat(300) }),
      await forged.setAudience(settings.audience).setExpirationTime('1h').sign(other.privateKey),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
    ]
    for (const token of bad) {
      const error: unknown = await check(token, address).catch((failure: unknown) => failure)
      expect(error, token).to.be.instanceOf(InvalidToken)
    }
  })

  it('While the provider is unavailable, an access token is neither accepted nor rejected, and API keys are accepted', async () => {
    const oauth = createOAuthCheck({ ...provider.settings, jwksUrl: 'http://127.0.0.1:9/' })
    const away = createTokenCheck({ ...deps, oauth })
    const token = await provider.sign({ company: registrar.company.id, scope: 'reporting' })
    const error: unknown = await away(token, address).catch((failure: unknown) => failure)
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(InvalidToken)
    expect((await away(adminKey, address)).companyId).to.equal(registrar.company.id)
  })

  it('After too many invalid tokens of an address, only valid API keys are accepted from it', async () => {
    const guesser = '192.0.2.66'
    const ask = async (token: string) => check(token, guesser).catch((failure: unknown) => failure)
    for (let guess = 0; guess < someGuesses; guess++)
      expect(await ask(`a key that nobody was ever given, number ${guess}`)).to.be.instanceOf(InvalidToken)
    const refused = await ask('a key that nobody was ever given, the last')
    expect(refused instanceof ApiError && refused.status).to.equal(429)
    expect(await ask(adminKey)).to.include({ companyId: registrar.company.id })
  })
})
