import { assert } from 'chai'
import { createSetUpLink } from '../../../api/auth/set-up-link.ts'
import { sessionCookie } from '../../../api/http/cookie.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { Session } from '../../../schema/requests/session.ts'
import { faultsOf, shaped, startApi, type TestApi } from '../../support/api.ts'
import { readAs } from '../../support/read-as.ts'

const hourMs = 3_600_000

describe('the first set-up', () => {
  let api: TestApi
  let nowMs: number
  let token: string
  beforeEach(async () => {
    nowMs = Date.now()
    const setUpLink = createSetUpLink(() => nowMs)
    token = setUpLink.token
    api = await startApi({ setUpLink })
  })
  afterEach(() => api.close())

  const given = () => ({
    token,
    companyName: 'Smith Turning',
    timeZone: 'America/Chicago',
    startOfDay: '06:00',
    microstopMs: 120_000,
    email: 'Ann@plant.example',
    displayName: 'Ann',
    password: 'correct horse battery',
  })
  const post = (path: string, body: unknown) => api.call('POST', path, body, { key: null })

  it("The first set-up writes the company's settings and creates an it_admin, who is then signed in", async () => {
    const { body: before } = await api.call('GET', '/settings')
    const checked = await post('/set-up/check', { token })
    assert.deepEqual(checked.body, {
      companyName: 'My plant',
      timeZone: 'UTC',
      startOfDay: '00:00',
      microstopMs: 0,
    })
    const done = await post('/set-up', given())
    assert.equal(done.status, 200)
    const { user, company } = shaped<Session>(done)
    assert.include(user, { email: 'ann@plant.example', displayName: 'Ann', role: 'it_admin' })
    assert.include(company, { name: 'Smith Turning', timeZone: 'America/Chicago' })
    const { companyName, timeZone, startOfDay, microstopMs } = given()
    const { body: after } = await api.call('GET', '/settings')
    assert.deepEqual(after, { ...Object(before), companyName, timeZone, startOfDay, microstopMs })
    const cookie = (done.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    assert.include(cookie, sessionCookie)
    assert.equal((await api.call('GET', '/api-keys', undefined, { cookie })).status, 200)
  })

  it('A company whose record is older than a setting is set up with the default of that setting', async () => {
    const before = api.registrar.company
    const { microstopMs: _, ...older } = before.settings
    const after = readAs<CompanyRecord>({ ...before, settings: older })
    api.registrar.apply([{ kind: 'company', id: before.id, before, after }])
    assert.include(shaped<object>(await post('/set-up/check', { token })), { microstopMs: 0 })
    const { microstopMs: _omitted, ...body } = given()
    assert.equal((await post('/set-up', body)).status, 200)
    assert.equal(api.registrar.records.company(before.id)?.settings.microstopMs, 0)
  })

  it('The set-up link is valid once', async () => {
    assert.equal((await post('/set-up', given())).status, 200)
    assert.equal((await post('/set-up/check', { token })).status, 403)
    assert.equal((await post('/set-up', { ...given(), email: 'eve@plant.example' })).status, 403)
    assert.lengthOf(api.registrar.records.list('user', api.registrar.company.id), 1)
  })

  it('Two concurrent requests to the set-up create one user', async () => {
    const answers = await Promise.all([
      post('/set-up', given()),
      post('/set-up', { ...given(), email: 'b@plant.example' }),
    ])
    assert.sameMembers(
      answers.map(({ status }) => status),
      [200, 403],
    )
  })

  it('A set-up after that of another process is rejected and changes nothing', async () => {
    await api.close()
    const link = createSetUpLink(() => nowMs)
    // The link of another process is used after this link was checked.
    const useFor: typeof link.useFor = async work => {
      await api.signIn('it_admin')
      return link.useFor(work)
    }
    api = await startApi({ setUpLink: { ...link, useFor } })
    const { body: before } = await api.call('GET', '/settings')
    assert.equal((await post('/set-up', { ...given(), token: link.token })).status, 403)
    assert.deepEqual((await api.call('GET', '/settings')).body, before)
    assert.lengthOf(api.registrar.records.list('user', api.registrar.company.id), 1)
  })

  it('The set-up link is valid for one hour', async () => {
    nowMs += hourMs - 1
    assert.equal((await post('/set-up/check', { token })).status, 200)
    nowMs += 1
    assert.equal((await post('/set-up/check', { token })).status, 403)
    assert.equal((await post('/set-up', given())).status, 403)
  })

  it('A set-up with another token, or when a user already exists, is rejected', async () => {
    assert.equal((await post('/set-up', { ...given(), token: 'another' })).status, 403)
    await api.signIn('operator')
    assert.equal((await post('/set-up', given())).status, 403)
  })

  it('A set-up with field errors lists them, and the link remains valid', async () => {
    const faulty = await post('/set-up', { ...given(), timeZone: 'Mars/Olympus', startOfDay: '6', password: 'short' })
    assert.equal(faulty.status, 400)
    assert.sameMembers(
      faultsOf(faulty).map(fault => fault.split(' ')[0]),
      ['timeZone', 'startOfDay', 'password'],
    )
    assert.equal((await post('/set-up', given())).status, 200)
  })
})
