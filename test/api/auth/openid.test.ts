import { expect } from 'chai'
import { InvalidToken } from '../../../api/auth/authenticate.ts'
import { createOpenId, rolesByName } from '../../../api/auth/openid.ts'
import { ApiError } from '../../../schema/errors.ts'
import { type OpenIdProvider, openIdSecret, startOpenIdProvider } from '../../support/openid-provider.ts'

const publicUrl = 'http://takt.example'

describe('sign-in at an OpenID Connect provider', () => {
  let provider: OpenIdProvider
  const openid = () =>
    createOpenId(
      {
        publicUrl,
        issuer: provider.issuer,
        clientId: 'takt',
        clientSecret: openIdSecret,
        name: 'Plant ID',
        scopes: 'openid email profile',
        roleClaim: 'takt_role',
        roles: rolesByName,
        companyClaim: null,
        leewayS: 60,
      },
      Date.now,
    )
  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (error: unknown) => error,
    )

  before(async () => {
    provider = await startOpenIdProvider()
    await provider.open(`${publicUrl}/app/sign-on`)
  })
  after(() => provider?.close())
  beforeEach(() => provider.instead.clear())

  it('At most 20 sign-ins, and 4 of an address, are in progress at the provider; each that ends admits another', async () => {
    const signIn = openid()
    let respond = () => {}
    const held = new Promise<void>(resolve =>
      provider.instead.set('/.well-known/openid-configuration', (_request, response) => {
        respond = () => void response.writeHead(500).end()
        resolve()
      }),
    )
    const visit = (address: number) => errorOf(signIn.begin({ address: `192.0.2.${address}`, session: null }))
    const visits = Array.from({ length: 4 }, () => visit(0))
    const rejected = [visit(0)]
    visits.push(...Array.from({ length: 16 }, (_, i) => visit(1 + (i % 4))))
    rejected.push(visit(5))
    await held
    for (const error of await Promise.all(rejected))
      expect(error).to.be.instanceOf(ApiError).and.include({ status: 503, message: 'Too many concurrent sign-ins' })
    respond()
    for (const error of await Promise.all(visits)) expect(error).to.be.instanceOf(ApiError)
    const next = await visit(5)
    expect(next).to.have.property('message', 'The identity provider is unavailable. Retry later.')
  })

  it('A failure of the provider states to the user whether to retry, and to the log the reason', async () => {
    const { origin } = new URL(provider.issuer)
    const outage = 'The identity provider is unavailable. Retry later.'
    const invalid = 'The identity provider returned no valid response. Ask an IT admin to check the log.'
    const failures: readonly (readonly [string, number, object, string, RegExp])[] = [
      ['/token', 500, {}, outage, new RegExp(`^OpenID Connect: ${origin} returned no valid response: HTTP 500$`)],
      ['/token', 401, { error: 'invalid_client' }, invalid, /^OpenID Connect: \w+ invalid_client \(HTTP 401\)$/],
      ['/token', 404, {}, invalid, /^OpenID Connect: \w+ .+ \(HTTP 404\)$/],
    ]
    for (const [path, status, body, message, reason] of failures) {
      const signIn = openid()
      const visitor = { address: '192.0.2.1', session: null }
      const { url, flow } = await signIn.begin(visitor)
      const query = await provider.pass(url, 'ida')
      provider.instead.set(path, (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
      const error = await errorOf(signIn.finish({ ...visitor, query, flow }))
      expect(error, `${path} ${status}`).to.be.instanceOf(ApiError).and.include({ status: 503, message })
      expect(error).to.have.nested.property('cause.message').that.matches(reason)
      provider.instead.clear()
    }
  })

  it('A sign-in that the provider does not confirm is rejected, and does not count as a guess of a token', async () => {
    const signIn = openid()
    const visitor = { address: '192.0.2.1', session: null }
    const errorAfter = async (
      tokenStatus: number,
      body: object,
      change: (query: string) => string = query => query,
    ) => {
      const { url, flow } = await signIn.begin(visitor)
      const query = await provider.pass(url, 'ida')
      provider.instead.set('/token', (_request, response) => {
        response.writeHead(tokenStatus, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
      return errorOf(signIn.finish({ ...visitor, query: change(query), flow }))
    }
    const seconds = Math.floor(Date.now() / 1000)
    const claims = { iss: provider.issuer, sub: 'ida', aud: 'takt', iat: seconds, exp: seconds + 60, nonce: 'another' }
    const tokens = { access_token: 'a', token_type: 'Bearer', id_token: await provider.sign(claims) }
    const errors = [
      await errorAfter(200, {}, query => query.replace(/code=[^&]*/, 'error=access_denied')),
      await errorAfter(400, { error: 'invalid_grant' }),
      await errorAfter(200, tokens),
    ]
    const messages = errors.map(error => {
      expect(error).to.be.instanceOf(InvalidToken).and.include({ isGuess: false })
      return error instanceof InvalidToken ? error.message.replace(/\(\w+\)/, '(code)') : ''
    })
    expect(messages).to.deep.equal([
      'The provider did not sign you in',
      'The provider did not confirm this sign-in. Start it again.',
      'The identity of the provider failed verification (code)',
    ])
  })
})
