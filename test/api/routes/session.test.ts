import type { Payload } from '../../../schema/commands/commands.ts'
import { expect } from 'chai'
import { hashPassword } from '../../../api/auth/password.ts'
import { hashKey } from '../../../api/auth/key.ts'
import { newSession } from '../../../api/auth/session.ts'
import { type Access, accessByRecords } from '../../../api/auth/access.ts'
import { InvalidToken } from '../../../api/auth/authenticate.ts'
import { createSignIn } from '../../../api/auth/sign-in.ts'
import { unavailable } from '../../../schema/errors.ts'
import type { SessionRecord } from '../../../schema/records/session.ts'
import { scopesOfRole } from '../../../schema/roles.ts'
import { adminKey, faultsOf, shaped, startApi, type TestApi, type TestAnswer } from '../../support/api.ts'
import { useFullPasswordCost } from '../../support/password-cost.ts'

const email = 'Ada@plant.example'
const password = 'correct horse battery'
const wrong = 'wrong horse battery'
const newPassword = 'staple, correct horse'
const keyless = { key: null } as const
const limits = {
  signInsPerAccountAndAddress: 3,
  signInsPerAddress: 5,
  signInsPerAccount: 12,
  signInsPerBrowser: 4,
} as const

describe('sign-in', function () {
  let api: TestApi
  let userId: string
  beforeEach(async () => {
    api = await startApi({ settings: limits })
    userId = await addUser(api)
  })
  afterEach(() => api.close())

  const signIn = (given: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    api.call('POST', '/session', { email, password, ...given }, { ...keyless, headers })
  const get = (cookie: string) => api.call('GET', '/session', undefined, { cookie })

  it('A sign-in creates a session with its user, until the sign-out', async () => {
    const answer = await signIn({ email: 'ADA@PLANT.EXAMPLE' })
    expect(answer.status).to.equal(200)
    const { company } = api.registrar
    expect(answer.body).to.deep.include({
      company: { id: company.id, name: company.settings.companyName, timeZone: 'UTC' },
      scopes: scopesOfRole.manager,
    })
    expect(answer.body).to.have.property('user').that.deep.includes({ email: email.toLowerCase(), role: 'manager' })
    expect(JSON.stringify(answer.body)).not.to.include('scrypt')
    const cookie = cookieOf(answer)
    expect((await get(cookie)).body).to.deep.equal(answer.body)
    expect((await api.call('GET', '/accounts/current', undefined, { cookie })).body).to.include({ id: userId })
    const out = await api.call('DELETE', '/session', undefined, { cookie })
    expect(out.body).to.equal(null)
    expect(out.headers.get('set-cookie')).to.match(/^takt_session=; Max-Age=0;/)
    expect((await get(cookie)).status).to.equal(401)
  })

  it('The session cookie is HttpOnly and SameSite=Strict, and Secure over TLS', async () => {
    const header = (await signIn()).headers.get('set-cookie')
    expect(header).to.match(
      /^takt_session=[0-9a-f-]{36}\.[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict, takt_browser=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const overTls = await signIn({}, { 'x-forwarded-proto': 'https' })
    expect(overTls.headers.get('set-cookie')).to.match(
      /^__Host-takt_session=.+; Secure, __Host-takt_browser=.+; Secure$/,
    )
  })

  it('Only the hash of a session is stored', async () => {
    const token =
      cookieOf(await signIn())
        .split('.')
        .at(-1) ?? ''
    expect(JSON.stringify(api.registrar.records.list('session', api.registrar.company.id))).not.to.include(token)
  })

  describe('at the full cost of passwords', () => {
    useFullPasswordCost()

    it('A wrong password, an unknown address and a disabled user receive the same response after the same time', async () => {
      const disabled = await api.signIn('operator')
      const { email: disabledEmail = '' } = api.registrar.records.userById(disabled.userId) ?? {}
      await patch(api, disabled.userId, { passwordHash: await hashPassword(password), disabled: true })
      const timed = async (given: object) => {
        const startedMs = performance.now()
        const { status, body, headers } = await signIn(given)
        return { answer: { status, body, cookie: headers.get('set-cookie') }, tookMs: performance.now() - startedMs }
      }
      const cases = [{ password: wrong }, { email: 'nobody@plant.example' }, { email: disabledEmail }]
      const timings = []
      for (const given of cases) timings.push(await timed(given))
      for (const { answer, tookMs } of timings) {
        expect(answer).to.deep.equal({
          status: 401,
          body: { error: 'invalid_token', error_description: 'The email address or the password is wrong' },
          cookie: null,
        })
        expect(tookMs, 'a password was hashed').to.be.above(40)
      }
    })
  })

  it('After failed sign-ins to an account from an address, even the right password is rejected for a while', async () => {
    for (const _ of [1, 2, 3]) expect((await signIn({ password: wrong })).status).to.equal(401)
    const { status, headers } = await signIn()
    expect(status).to.equal(429)
    expect(Number(headers.get('retry-after'))).to.be.within(1, 300)
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).to.deep.equal(['3', '0'])
  })

  const from = (address: string, cookie = '') => ({ 'x-forwarded-for': address, ...(cookie !== '' && { cookie }) })

  it('Wrong passwords from other addresses do not lock the account; very many do', async () => {
    for (let index = 0; index < 10; index++)
      expect((await signIn({ password: wrong }, from(`203.0.113.${index}`))).status).to.equal(401)
    expect((await signIn({}, from('198.51.100.1'))).status).to.equal(200)
    for (let index = 10; index < 12; index++)
      expect((await signIn({ password: wrong }, from(`203.0.113.${index}`))).status).to.equal(401)
    expect((await signIn({}, from('198.51.100.1'))).status).to.equal(429)
  })

  it('A browser in which the user has signed in has its own counter of failed sign-ins', async () => {
    const browser = browserOf(await signIn())
    for (let index = 0; index < 12; index++) await signIn({ password: wrong }, from(`203.0.113.${index}`))
    for (let index = 0; index < 5; index++) await signIn({ email: `guess${index}@plant.example` })
    expect((await signIn()).status, 'address and account are used up').to.equal(429)
    const again = await signIn({}, { cookie: browser })
    expect(again.status).to.equal(200)
    expect(browserOf(again), 'the browser keeps its id').to.equal(browser)
    for (let index = 0; index < 4; index++)
      expect((await signIn({ password: wrong }, { cookie: browser })).status).to.equal(401)
    const { status, headers } = await signIn({}, { cookie: browser })
    expect(status).to.equal(429)
    expect(Number(headers.get('retry-after'))).to.be.within(3000, 3600)
  })

  it('A browser counts as known only for its user and the current password', async () => {
    const browser = browserOf(await signIn())
    const otherId = await addUser(api, 'bob@plant.example')
    const ofOther = browserOf(await signIn({ email: 'bob@plant.example' }))
    for (const _ of [1, 2, 3]) await signIn({ password: wrong })
    expect((await signIn({}, { cookie: ofOther })).status).to.equal(429)
    expect((await signIn({}, { cookie: ofOther.replace(otherId, userId) })).status).to.equal(429)
    expect((await signIn({}, { cookie: browser.replace(/.$/, last => (last === 'A' ? 'E' : 'A')) })).status).to.equal(
      429,
    )
    const both = browserOf(await signIn({ email: 'bob@plant.example' }, { cookie: browser }))
    expect(both.split('~')).to.have.lengthOf(2)
    expect((await signIn({}, { cookie: both })).status).to.equal(200)
    await patch(api, userId, { passwordHash: await hashPassword(newPassword) })
    expect((await signIn({ password: newPassword }, { cookie: both })).status).to.equal(429)
  })

  it('After failed sign-ins from an address, sign-ins from it are rejected for a while; successful ones do not count', async () => {
    for (const _ of [1, 2, 3, 4, 5, 6]) expect((await signIn()).status).to.equal(200)
    for (const index of [1, 2, 3, 4, 5])
      expect((await signIn({ email: `guess${index}@plant.example` })).status).to.equal(401)
    expect((await signIn()).status).to.equal(429)
    expect((await signIn({}, { 'x-forwarded-for': '203.0.113.7' })).status, 'from another address').to.equal(200)
  })

  it('A failure of the service does not count as a failed sign-in', async () => {
    let isAway = true
    const byRecords = accessByRecords(api.registrar.records)
    const usersByEmail: Access['usersByEmail'] = async address => {
      if (isAway) throw unavailable('away')
      return byRecords.usersByEmail(address)
    }
    const { records } = api.registrar
    const signIns = createSignIn({ access: { ...byRecords, usersByEmail }, records, limits })
    const away = (given: string, tried: string, address: string) =>
      signIns.userWith({ email: given, password: tried }, { address, browser: undefined })
    for (const _ of [1, 2, 3, 4, 5, 6])
      expect(await away(email, password, 'here').catch((error: unknown) => error)).to.have.property('status', 503)
    isAway = false
    for (const _ of [1, 2, 3, 4, 5, 6]) expect(await away(email, password, 'here')).to.have.property('id', userId)
    for (const _ of [1, 2, 3]) await away(email, wrong, 'here').catch(() => null)
    for (const _ of [1, 2, 3]) await away(email, wrong, 'here').catch(() => null)
    expect(
      await away('other@plant.example', wrong, 'here').catch((error: unknown) => error),
      'one account uses up no address',
    ).to.be.instanceOf(InvalidToken)
  })

  it('Concurrent failed sign-ins do not exceed the limit', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn({ password: wrong })))
    expect(answers.filter(({ status }) => status === 401)).to.have.lengthOf(3)
  })

  it('All field errors of a sign-in are listed', async () => {
    const answer = await api.call('POST', '/session', { email: {} }, keyless)
    expect(faultsOf(answer)).to.have.members(['email InvalidType', 'password Required'])
  })

  it('A sign-in from another site is rejected', async () => {
    expect((await signIn({}, { origin: 'https://evil.example' })).status).to.equal(403)
    expect((await signIn({}, { 'sec-fetch-site': 'cross-site' })).status).to.equal(403)
    expect((await signIn({}, { origin: api.url })).status).to.equal(200)
    expect((await signIn({}, { origin: api.url, 'x-forwarded-host': 'a b' })).status).to.equal(403)
    const headers = { origin: 'https://evil.example' }
    for (const path of ['/session/', '/Session'])
      expect(
        (await api.call('POST', path, { email, password }, { key: null, headers, unchecked: true })).status,
      ).to.equal(403)
  })
})

describe('sessions', () => {
  let api: TestApi
  before(async () => (api = await startApi()))
  after(() => api.close())

  const settings = { companyName: 'Mine' }
  const put = (headers: Readonly<Record<string, string>>, cookie: string) =>
    fetch(`${api.url}/settings`, {
      method: 'PUT',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(settings),
    }).then(({ status }) => status)

  it('A session can change data only from pages of this service', async () => {
    const { cookie } = await api.signIn('manager')
    const host = new URL(api.url).host
    expect(await put({ origin: api.url }, cookie)).to.equal(200)
    expect(await put({ 'sec-fetch-site': 'same-origin', origin: 'null' }, cookie)).to.equal(200)
    expect(await put({ origin: `https://${host}` }, cookie), 'TLS ends at a proxy').to.equal(200)
    expect(await put({ origin: 'https://plant.example', 'x-forwarded-host': 'plant.example' }, cookie)).to.equal(200)
    const refused: Readonly<Record<string, string>>[] = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: `http://evil.example/${host}` },
      { 'sec-fetch-site': 'cross-site', origin: api.url },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of refused) expect(await put(headers, cookie), JSON.stringify(headers)).to.equal(403)
    expect(await put({ authorization: `Bearer ${adminKey}` }, cookie), 'a key needs no origin').to.equal(200)
  })

  it('A session can read data without an origin, and other origins receive no credentials', async () => {
    const { cookie } = await api.signIn('manager')
    const { status, headers } = await api.call('GET', '/settings', undefined, {
      key: null,
      headers: { cookie, origin: 'https://evil.example' },
    })
    expect(status).to.equal(200)
    expect(headers.get('access-control-allow-credentials')).to.equal(null)
    expect(headers.get('access-control-allow-origin')).to.equal('*')
  })

  it('An Authorization header takes precedence over a session', async () => {
    const { cookie } = await api.signIn('it_admin')
    const weak = api.addKey(['reporting'])
    const status = async (authorization: string) =>
      (await api.call('GET', '/settings', undefined, { key: null, headers: { cookie, authorization } })).status
    expect(await status(`Bearer ${weak}`)).to.equal(403)
    expect(await status('Bearer nobody-s key, but long enough to be one')).to.equal(401)
    expect(await status('Basic abc')).to.equal(401)
  })

  it('A session ends at its expiry, after idle time, and with its user, and follows role changes immediately', async () => {
    const admin = await api.signIn('it_admin')
    const one = await api.signIn('manager')
    const status = async (cookie: string) => (await api.call('GET', '/settings', undefined, { cookie })).status
    const change = (payload: object) =>
      api.call('PATCH', `/users/${one.userId}`, payload, { cookie: admin.cookie }).then(answer => answer.status)
    expect(await status(one.cookie)).to.equal(200)
    expect(await change({ role: 'operator' })).to.equal(200)
    const { body } = await api.call('GET', '/session', undefined, { cookie: one.cookie })
    expect(body).to.deep.include({ scopes: scopesOfRole.operator })
    expect(await change({ disabled: true })).to.equal(200)
    expect(await status(one.cookie)).to.equal(401)
    expect(await change({ disabled: false })).to.equal(200)
    expect(await status(one.cookie), 'enabled again, signed out').to.equal(401)

    const [expired, idle] = [{ expiresAt: -1 }, { usedAt: -12 * 3_600_000 - 1000 }]
    for (const times of [expired, idle]) expect(await status(await sessionAt(api, times))).to.equal(401)
    expect(await status(await sessionAt(api, { usedAt: -11 * 3_600_000 }))).to.equal(200)

    const two = await api.signIn('manager')
    await api.call('DELETE', `/users/${two.userId}`, undefined, { cookie: admin.cookie })
    expect(await status(two.cookie)).to.equal(401)
  })

  it('The last use of a session is stored at intervals', async () => {
    const cookie = await sessionAt(api, { usedAt: -4 * 3_600_000 })
    const used = () => sessionOf(api, cookie)?.usedAt ?? ''
    const before = used()
    await api.call('GET', '/settings', undefined, { cookie })
    while (used() === before) await new Promise(resolve => setTimeout(resolve, 5))
    const after = used()
    expect(after > before).to.equal(true)
    await api.call('GET', '/settings', undefined, { cookie })
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(used(), 'not again right away').to.equal(after)
  })

  it('A session cookie with the wrong user and an invalid cookie are rejected', async () => {
    const [one, two] = [await api.signIn('manager'), await api.signIn('it_admin')]
    const mixed = `takt_session=${two.userId}.${one.cookie.split('.').at(-1)}`
    for (const cookie of [
      mixed,
      'takt_session=',
      'takt_session=x',
      `takt_session=${newSession(one.userId).cookie}`,
      'x=y',
    ])
      expect((await api.call('GET', '/settings', undefined, { cookie })).status, cookie).to.equal(401)
  })

  it('A key or token does not count as a signed-in user', async () => {
    const { cookie } = await api.signIn('it_admin')
    const token = shaped<string>(await api.call('GET', '/user-token', undefined, { cookie }))
    for (const key of [adminKey, token]) {
      for (const path of ['/session', '/users', '/api-keys'])
        expect((await api.call('GET', path, undefined, { key })).status, path).to.equal(403)
      expect((await api.call('GET', '/settings', undefined, { key })).status).to.equal(200)
    }
  })

  it('A token ends with its session', async () => {
    const { cookie, userId } = await api.signIn('operator')
    const token = shaped<string>(await api.call('GET', '/user-token', undefined, { cookie }))
    const account = () => api.call('GET', '/accounts/current', undefined, { key: token })
    const { body } = await account()
    expect(body).to.include({ id: userId })
    expect(body)
      .to.have.property('scopes')
      .that.includes.members([...scopesOfRole.operator])
    await api.call('DELETE', '/session', undefined, { cookie })
    expect((await account()).status).to.equal(401)
  })
})

describe('an address shared by users of several companies', function () {
  let api: TestApi
  beforeEach(async () => {
    api = await startApi({ settings: { signInsPerAccountAndAddress: 50, signInsPerAddress: 50 } })
    await addUser(api)
  })
  afterEach(() => api.close())

  /** Creates a company with a user of the address, one second after the previous one. */
  const addCompany = async (companyName: string, itsPassword: string): Promise<string> => {
    const { registrar } = api
    registrar.addCompany(companyName, hashKey(companyName))
    const companyId = registrar.records.companies().at(-1)?.id ?? ''
    const passwordHash = await hashPassword(itsPassword)
    await registrar.perform('user.create', { email, displayName: 'Ada', role: 'operator', passwordHash }, companyId)
    const user = registrar.records.usersByEmail(email).find(found => found.companyId === companyId)
    if (!user) throw new Error('There is no user')
    const createdAt = new Date(Date.now() + 1000 * registrar.records.companies().length).toISOString()
    registrar.apply([{ kind: 'user', id: user.id, before: user, after: { ...user, createdAt } }])
    return companyId
  }
  const signIn = (given: object) => api.call('POST', '/session', { email, ...given }, keyless)
  const companyOf = async (given: object): Promise<string | number> => {
    const answer = await signIn(given)
    return answer.status === 200 ? shaped<{ company: { id: string } }>(answer).company.id : answer.status
  }

  it('A shared email address signs in to the oldest user whose password matches, or to that of `company`', async () => {
    const first = api.registrar.company.id
    const second = await addCompany('Second', newPassword)
    const third = await addCompany('Third', password)
    expect(await companyOf({ password })).to.equal(first)
    expect(await companyOf({ password: newPassword })).to.equal(second)
    expect(await companyOf({ password, company: 'Third' })).to.equal(third)
    expect(await companyOf({ password, company: third })).to.equal(third)
    expect(await companyOf({ password, company: null })).to.equal(first)
    expect(await companyOf({ password: newPassword, company: 'Third' })).to.equal(401)
    expect(await companyOf({ password, company: 'Nowhere' })).to.equal(401)
    expect(await companyOf({ password: wrong })).to.equal(401)
  })

  it('A sign-in with a shared email address checks at most three users, and needs `company` beyond that', async () => {
    for (const name of ['Second', 'Third']) await addCompany(name, password)
    const fourth = await addCompany('Fourth', newPassword)
    expect(await companyOf({ password: newPassword })).to.equal(401)
    expect(await companyOf({ password: newPassword, company: 'Fourth' })).to.equal(fourth)
    for (const { id, companyId } of api.registrar.records.usersByEmail(email).slice(1, 3)) {
      await api.registrar.perform('user.patch', { id, disabled: true }, companyId)
    }
    expect(await companyOf({ password: newPassword }), 'who is disabled takes no place').to.equal(fourth)
  })

  describe('at the full cost of passwords', () => {
    useFullPasswordCost()

    it('A sign-in fails with the same response after the same work for any number of users with the address', async () => {
      for (const name of ['Second', 'Third']) await addCompany(name, newPassword)
      const passwordHash = await hashPassword(newPassword)
      const lone = { email: 'lone@plant.example', displayName: 'Lone', role: 'operator', passwordHash } as const
      await api.registrar.perform('user.create', lone)
      for (const given of [{ email: 'nobody@plant.example' }, { email: lone.email }, {}, { company: 'Second' }]) {
        let answer: TestAnswer | null = null
        // Beside the sign-in, because the speed of the machine changes.
        const beforeMs = await cpuMs(() => hashPassword(wrong))
        const allMs = await cpuMs(async () => {
          answer = await signIn({ password: wrong, ...given })
        })
        const oneMs = Math.min(beforeMs, await cpuMs(() => hashPassword(wrong)))
        expect(answer).to.deep.include({ status: 401 })
        expect(allMs, `three passwords were hashed for ${JSON.stringify(given)}`).to.be.above(oneMs * 1.5)
      }
    })
  })

  it('Users with the same email address in two companies are created and changed independently', async () => {
    const second = await addCompany('Second', newPassword)
    const admin = await api.signIn('it_admin')
    const given = { displayName: 'Eve', role: 'operator', password }
    const make = (address: string) =>
      api.call('POST', '/users', { ...given, email: address }, { cookie: admin.cookie }).then(({ status }) => status)
    const foreign = { email: 'only@second.example', displayName: 'X', role: 'operator', passwordHash: 'none' } as const
    await api.registrar.perform('user.create', foreign, second)
    expect([await make(foreign.email), await make(email)]).to.deep.equal([200, 409])
    const there = cookieOf(await signIn({ password: newPassword }))
    const put = (currentPassword: string) =>
      api.call('PUT', '/session/password', { currentPassword, newPassword: 'another one of mine' }, { cookie: there })
    expect((await put(password)).status, 'the password of the other company').to.equal(400)
    expect((await put(newPassword)).status).to.equal(200)
    expect(await companyOf({ password })).to.equal(api.registrar.company.id)
    expect(await companyOf({ password: 'another one of mine' })).to.equal(second)
  })
})

/** CPU time in ms: other work on the machine does not add to it. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

describe('change of the own password', function () {
  it('A user changes the password with the current one, which ends the other sessions', async () => {
    const api = await startApi()
    try {
      await addUser(api)
      const signIn = async (given: string) => api.call('POST', '/session', { email, password: given }, keyless)
      const [here, there] = [cookieOf(await signIn(password)), cookieOf(await signIn(password))]
      const put = (currentPassword: string, chosen: string) =>
        api.call('PUT', '/session/password', { currentPassword, newPassword: chosen }, { cookie: here })
      const refused = await put(wrong, newPassword)
      expect(refused.status).to.equal(400)
      expect(faultsOf(refused)).to.deep.equal(['currentPassword InvalidDataItem'])
      expect(faultsOf(await put(password, 'too short'))).to.deep.equal(['newPassword OutOfRange'])
      expect((await put(password, newPassword)).body).to.equal(null)
      const status = async (cookie: string) => (await api.call('GET', '/session', undefined, { cookie })).status
      expect(await status(here)).to.equal(200)
      expect(await status(there)).to.equal(401)
      expect((await signIn(password)).status).to.equal(401)
      expect((await signIn(newPassword)).status).to.equal(200)
    } finally {
      await api.close()
    }
  })
})

/** Creates a manager with a password; returns the id. */
async function addUser({ registrar }: TestApi, as = email): Promise<string> {
  const passwordHash = await hashPassword(password)
  await registrar.perform('user.create', { email: as, displayName: 'Ada', role: 'manager', passwordHash })
  return registrar.records.usersByEmail(as)[0]?.id ?? ''
}

async function patch({ registrar }: TestApi, id: string, changes: Omit<Payload<'user.patch'>, 'id'>): Promise<void> {
  await registrar.perform('user.patch', { id, ...changes })
}

/** A session whose times are given in ms from now. */
async function sessionAt(api: TestApi, times: { expiresAt?: number; usedAt?: number }): Promise<string> {
  const { cookie, sessionId } = await api.signIn('manager')
  const before = api.registrar.records.sessionById(sessionId)
  if (!before) throw new Error('There is no session')
  const instants = Object.entries(times).map(([name, ms]) => [name, new Date(Date.now() + ms).toISOString()])
  const after: SessionRecord = { ...before, ...Object.fromEntries(instants) }
  api.registrar.apply([{ kind: 'session', id: sessionId, before, after }])
  return cookie
}

function sessionOf(api: TestApi, cookie: string): SessionRecord | null {
  const userId = /=([0-9a-f-]{36})/.exec(cookie)?.[1]
  const { records, company } = api.registrar
  return records.list('session', company.id).find(session => session.userId === userId) ?? null
}

function browserOf({ headers }: TestAnswer): string {
  return (
    headers
      .getSetCookie()
      .find(each => each.startsWith('takt_browser='))
      ?.split(';')[0] ?? ''
  )
}

function cookieOf({ headers }: TestAnswer): string {
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}
