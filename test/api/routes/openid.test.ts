import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { type CryptoKey, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { createOpenId, type OpenId, type OpenIdSettings, rolesByName } from '../../../api/auth/openid.ts'
import { hashPassword } from '../../../api/auth/password.ts'
import type { Role } from '../../../schema/roles.ts'
import type { Session } from '../../../schema/requests/session.ts'
import { startApi, type TestAnswer, type TestApi, shaped } from '../../support/api.ts'
import { type OpenIdProvider, openIdSecret, startOpenIdProvider } from '../../support/openid-provider.ts'

const publicUrl = 'http://takt.example'
const password = 'correct horse battery'

/** One service and one certified provider; each test has its own client address. */
describe('routes of OpenID Connect', function () {
  let provider: OpenIdProvider
  let api: TestApi
  let current: OpenId
  let nowMs = Date.now()
  let address = 0

  const openid = (changes: Partial<OpenIdSettings> = {}): OpenId =>
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
        ...changes,
      },
      () => nowMs,
    )

  before(async () => {
    provider = await startOpenIdProvider()
    await provider.open(`${publicUrl}/app/sign-on`)
    api = await startApi({
      settings: { openidStartsPerAddress: 12, signInsPerAddress: 12, signInsPerAccountAndAddress: 100 },
      openid: {
        name: 'Plant ID',
        publicUrl,
        get hasCompanyClaim() {
          return current.hasCompanyClaim
        },
        begin: visitor => current.begin(visitor),
        finish: returned => current.finish(returned),
      },
    })
    await api.registrar.perform('sign-on.put', { makesUsers: true, defaultRole: null })
  })
  after(async () => {
    await api?.close()
    provider?.close()
  })
  beforeEach(() => {
    current = openid()
    address++
    provider.instead.clear()
  })

  interface Sent {
    readonly cookie?: string
    readonly headers?: Readonly<Record<string, string>>
  }

  const send = (method: string, path: string, body?: unknown, { cookie, headers }: Sent = {}): Promise<TestAnswer> =>
    api.call(method, path, body, {
      key: null,
      headers: {
        'x-forwarded-for': `192.0.2.${address}`,
        ...headers,
        ...(cookie !== undefined && { cookie, origin: api.url }),
      },
    })

  /** `name=value` of the cookie that a response sets. */
  const given = ({ headers }: TestAnswer, name: string): string =>
    headers
      .getSetCookie()
      .find(line => line.startsWith(`${name}=`))
      ?.split(';')[0] ?? ''

  async function begin(path = '/session/openid/start', sent: Sent = {}) {
    const answer = await send('POST', path, undefined, sent)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return { url: shaped<{ url: string }>(answer).url, flow: given(answer, 'takt_sign_on') }
  }

  async function signInAs(account: string): Promise<TestAnswer> {
    const { url, flow } = await begin()
    return send('POST', '/session/openid', { query: await provider.pass(url, account) }, { cookie: flow })
  }

  const textOf = ({ body }: TestAnswer): string => JSON.stringify(body)
  const told = (account: string, role: Role | null, more: object = {}) =>
    provider.accounts.set(account, { ...(role && { takt_role: role }), ...more })

  /** A signed-in user with a password. */
  async function userWith(email: string, role: Role = 'operator') {
    await api.registrar.perform('user.create', {
      email,
      displayName: email,
      role,
      passwordHash: await hashPassword(password),
    })
    return given(await send('POST', '/session', { email, password }), 'takt_session')
  }

  async function backFromLink(cookie: string, account: string) {
    const { url, flow } = await begin('/session/openid/link/start', { cookie })
    return { query: await provider.pass(url, account), flow }
  }

  it('A user signs in once per OpenID Connect flow, at the public address in the settings', async () => {
    told('ada', 'manager')
    const started = await send('POST', '/session/openid/start', undefined, {
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    const { url } = shaped<{ url: string }>(started)
    expect(new URL(url).searchParams.get('redirect_uri')).to.equal(`${publicUrl}/app/sign-on`)
    const [query, cookie] = [await provider.pass(url, 'ada'), given(started, 'takt_sign_on')]
    for (const strange of ['', `${cookie}; ${cookie}`])
      expect((await send('POST', '/session/openid', { query }, { cookie: strange })).status, strange).to.equal(401)
    const foreign = { cookie, headers: { 'sec-fetch-site': 'same-site' } }
    expect((await send('POST', '/session/openid', { query }, foreign)).status).to.equal(403)
    const signedIn = await send('POST', '/session/openid', { query }, { cookie })
    expect(shaped<Session>(signedIn).user).to.include({ email: 'ada@id.example', role: 'manager', hasPassword: false })
    expect((await send('POST', '/session/openid', { query }, { cookie })).status, 'again').to.equal(401)
    const mine = await send('GET', '/session', undefined, { cookie: given(signedIn, 'takt_session') })
    expect(mine.status).to.equal(200)
    expect((await send('POST', '/session', { email: 'ada@id.example', password: 'none' })).status).to.equal(401)
  })

  it('A user whose role claim is removed can no longer sign in and loses all sessions', async () => {
    told('ray', 'manager')
    const cookie = given(await signInAs('ray'), 'takt_session')
    told('ray', null)
    const refused = await signInAs('ray')
    expect(refused.status).to.equal(409)
    expect(textOf(refused)).to.include('no longer assigns you a role')
    expect((await send('GET', '/session', undefined, { cookie })).status).to.equal(401)
  })

  it('Over HTTPS, cookies have the __Host- prefix', async () => {
    const https = { 'x-forwarded-proto': 'https' }
    await userWith('https@plant.example')
    const answer = await send('POST', '/session', { email: 'https@plant.example', password }, { headers: https })
    const cookie = given(answer, '__Host-takt_session')
    const session = (sent: string, headers: Record<string, string>) =>
      send('GET', '/session', undefined, { cookie: sent, headers })
    expect((await session(cookie, https)).status).to.equal(200)
    expect((await session(cookie.replace('__Host-', ''), https)).status, 'without the prefix').to.equal(401)
  })

  it('A user links an OpenID identity with the password, in the session that started the flow', async () => {
    const cookie = await userWith('ann@plant.example')
    const other = await userWith('bob@plant.example')
    const { query, flow } = await backFromLink(cookie, 'ann')
    const link = (session: string, body: object = { currentPassword: password }) =>
      send('POST', '/session/openid/link', { query, ...body }, { cookie: `${session}; ${flow}` })
    for (const body of [{}, { currentPassword: 'wrong' }]) {
      const refused = await link(cookie, body)
      expect(refused.status).to.equal(400)
      expect(textOf(refused)).to.include('currentPassword')
    }
    expect((await link(other)).status, 'another session').to.equal(400)
    expect((await send('POST', '/session/openid', { query }, { cookie: flow })).status, 'a sign-in').to.equal(401)
    expect((await link(cookie)).status).to.equal(200)
    expect((await send('POST', '/session/openid/link/start', undefined, { cookie })).status, 'linked').to.equal(409)
    const same = await backFromLink(other, 'ann')
    const taken = await send(
      'POST',
      '/session/openid/link',
      { query: same.query, currentPassword: password },
      { cookie: `${other}; ${same.flow}` },
    )
    expect(taken.status).to.equal(409)
    expect(textOf(taken)).to.include('Another user is linked')
    const signedIn = await signInAs('ann')
    expect(shaped<Session>(signedIn).user.email).to.equal('ann@plant.example')
    expect((await send('DELETE', '/session/identity', undefined, { cookie })).status).to.equal(200)
    const ended = { cookie: given(signedIn, 'takt_session') }
    expect((await send('GET', '/session', undefined, ended)).status, 'the other session').to.equal(401)
    expect((await send('GET', '/session', undefined, { cookie })).status, 'the own one').to.equal(200)
  })

  it('A sign-in flow cannot link an OpenID identity, and a user without a password cannot unlink it', async () => {
    const cookie = await userWith('cy@plant.example')
    const { url, flow } = await begin()
    const body = { query: await provider.pass(url, 'cy'), currentPassword: password }
    const refused = await send('POST', '/session/openid/link', body, { cookie: `${cookie}; ${flow}` })
    expect(refused.status).to.equal(400)
    told('only', 'operator')
    const only = given(await signInAs('only'), 'takt_session')
    expect((await send('DELETE', '/session/identity', undefined, { cookie: only })).status).to.equal(409)
  })

  it('OpenID groups are read by a path, also from the userinfo endpoint, and for a public client', async () => {
    const groups = [...Array.from({ length: 3000 }, (_, index) => `group-${index}`), 'takt-admins']
    current = openid({
      clientId: 'takt-public',
      clientSecret: null,
      roleClaim: 'groups.names',
      roles: new Map([['takt-admins', 'it_admin']]),
    })
    told('gil', null, { groups: { names: groups } })
    expect(shaped<Session>(await signInAs('gil')).user.role).to.equal('it_admin')
  })

  for (const verified of [false, 'false', 0, null, 1, 'yes', ''])
    it(`No user is created for an address whose email_verified is ${JSON.stringify(verified)}`, async () => {
      told('mal', 'operator', { email_verified: verified })
      const refused = await signInAs('mal')
      expect(refused.status).to.equal(409)
      expect(textOf(refused)).to.include('no valid email address')
    })

  const answers =
    (status: number, body: object): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  /** Signs in with an ID token that the test creates. */
  async function withToken(make: (claims: JWTPayload) => JWTPayload | Promise<string>): Promise<TestAnswer> {
    const { url, flow } = await begin()
    const query = await provider.pass(url, 'eve')
    const seconds = Math.floor(Date.now() / 1000)
    const made = make({
      iss: provider.issuer,
      sub: 'eve',
      aud: 'takt',
      iat: seconds,
      exp: seconds + 60,
      nonce: new URL(url).searchParams.get('nonce'),
      email: 'eve@id.example',
      takt_role: 'operator',
    })
    const idToken = made instanceof Promise ? await made : await provider.sign(made)
    provider.instead.set('/token', answers(200, { access_token: 'a', token_type: 'Bearer', id_token: idToken }))
    return send('POST', '/session/openid', { query }, { cookie: flow })
  }

  it('An ID token that fails a check is rejected', async () => {
    expect((await withToken(claims => claims)).status, 'one that is right').to.equal(200)
    provider.instead.clear()
    const nowS = Math.floor(Date.now() / 1000)
    const skewed = { iat: nowS + 50, nbf: nowS + 50, exp: nowS - 50 }
    expect((await withToken(claims => ({ ...claims, ...skewed }))).status, 'of a clock within the leeway').to.equal(200)
    const wrong: Readonly<Record<string, JWTPayload>> = {
      nonce: { nonce: 'another' },
      audience: { aud: 'another' },
      issuer: { iss: 'https://other.example' },
      'expired long ago': { exp: 1_700_000_000 },
    }
    for (const [what, claims] of Object.entries(wrong)) {
      provider.instead.clear()
      const refused = await withToken(right => ({ ...right, ...claims }))
      expect(refused.status, what).to.equal(401)
    }
    const { privateKey } = await generateKeyPair('ES256')
    const signedBy = (key: CryptoKey | Uint8Array, alg: string) => (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(key)
    provider.instead.clear()
    expect((await withToken(signedBy(privateKey, 'ES256'))).status, 'signature').to.equal(401)
    provider.instead.clear()
    expect((await withToken(signedBy(Buffer.from(openIdSecret), 'HS256'))).status, 'algorithm').to.equal(401)
  })

  it('A failure of the OpenID provider is a 503, and a failure of the visitor a 401', async () => {
    const failures: readonly (readonly [string, number, object, number])[] = [
      ['/token', 401, { error: 'invalid_client' }, 503],
      ['/token', 404, {}, 503],
      ['/token', 500, {}, 503],
      ['/token', 400, { error: 'invalid_grant' }, 401],
      ['/jwks', 404, {}, 503],
      ['/jwks', 500, {}, 503],
      ['/me', 403, {}, 503],
      ['/me', 500, {}, 503],
    ]
    for (const [path, status, body, expected] of failures) {
      current = openid()
      const { url, flow } = await begin()
      const query = await provider.pass(url, 'ida')
      provider.instead.set(path, answers(status, body))
      const answer = await send('POST', '/session/openid', { query }, { cookie: flow })
      expect(answer.status, `${path} ${status}`).to.equal(expected)
      provider.instead.clear()
    }
  })

  it('A failed OpenID provider is not queried again for a moment, and its earlier metadata remains in use', async () => {
    const path = '/.well-known/openid-configuration'
    let asked = 0
    const failing: RequestListener = (_request, response) => {
      asked++
      response.writeHead(500).end()
    }
    const start = () => send('POST', '/session/openid/start')
    provider.instead.set(path, failing)
    expect((await start()).status).to.equal(503)
    expect((await start()).status).to.equal(503)
    expect(asked).to.equal(1)
    nowMs += 5_000
    provider.instead.clear()
    expect((await start()).status).to.equal(200)
    provider.instead.set(path, failing)
    nowMs += 3_600_000
    expect((await start()).status).to.equal(200)
    expect(asked).to.equal(2)
    current = openid()
    provider.instead.set(path, answers(200, { issuer: 'https://other.example' }))
    expect((await start()).status, 'the issuer of another').to.equal(503)
  })

  it('An address has at most four concurrent OpenID sign-ins, and its started and failed ones are counted', async () => {
    const holding: (() => void)[] = []
    const { url, flow } = await begin()
    const query = await provider.pass(url, 'ida')
    const arrived = new Promise<void>(resolve =>
      provider.instead.set('/token', (_request, response) => {
        holding.push(() => void response.writeHead(500).end())
        if (holding.length === 4) resolve()
      }),
    )
    const visit = () => send('POST', '/session/openid', { query }, { cookie: flow })
    const held = Array.from({ length: 4 }, visit)
    await arrived
    const fifth = await visit()
    expect(fifth.status).to.equal(503)
    expect(textOf(fifth)).to.include('Too many')
    address += 100
    expect((await send('POST', '/session/openid/start')).status, 'another address').to.equal(200)
    for (const end of holding) end()
    for (const each of held) expect((await each).status).to.equal(503)
    for (let count = 1; count < 12; count++) expect((await send('POST', '/session/openid/start')).status).to.equal(200)
    expect((await send('POST', '/session/openid/start')).status).to.equal(429)
    const stray = () => send('POST', '/session/openid', { query: 'code=a&state=b' })
    for (let count = 0; count < 12; count++) expect((await stray()).status).to.equal(401)
    expect((await stray()).status).to.equal(429)
    address -= 100
  })

  it('With several companies, OpenID sign-in needs a claim that names the company', async () => {
    const ann = await userWith('dora@plant.example')
    const first = api.registrar.records.companies()[0]?.id ?? ''
    const { url, flow } = await begin()
    api.registrar.addCompany('Second', 'ab'.repeat(32))
    const second = api.registrar.records.companies()[1]?.id
    expect((await send('POST', '/session/openid/start')).status).to.equal(409)
    const query = await provider.pass(url, 'dora')
    expect((await send('POST', '/session/openid', { query }, { cookie: flow })).status).to.equal(409)
    current = openid({ companyClaim: 'plant' })
    for (const [plant, status] of [
      [second, 409],
      ['nowhere', 409],
      [first, 200],
    ] as const) {
      told('dora', 'operator', { plant })
      const back = await backFromLink(ann, 'dora')
      const body = { query: back.query, currentPassword: password }
      const linked = await send('POST', '/session/openid/link', body, { cookie: `${ann}; ${back.flow}` })
      expect(linked.status, plant).to.equal(status)
    }
    expect(shaped<Session>(await signInAs('dora')).company.id).to.equal(first)
    told('dora', 'operator')
    expect((await signInAs('dora')).status, 'no company').to.equal(401)
  })
})
