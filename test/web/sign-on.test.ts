import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { UserResponse } from '../../schema/records/user.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { hashPassword } from '../../api/auth/password.ts'
import { assertAccessible, openChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-ports.ts'
import { type OpenIdProvider, openIdSecret, startOpenIdProvider } from '../support/openid-provider.ts'
import { startService, type TestService } from '../support/service.ts'

const password = 'correct horse battery'

/** One service, a certified provider and a browser; each test continues the previous one. */
describe('OpenID Connect in the web application', function () {
  let provider: OpenIdProvider
  let service: TestService
  let browser: Browser
  let admin: Page
  const contexts: BrowserContext[] = []

  before(async function () {
    browser = await openChromium(this)
    provider = await startOpenIdProvider()
    const port = await freePort()
    service = await startService({
      env: {
        TAKT_PORT: String(port),
        TAKT_PUBLIC_URL: `http://127.0.0.1:${port}`,
        TAKT_OIDC_ISSUER: provider.issuer,
        TAKT_OIDC_CLIENT_ID: 'takt',
        TAKT_OIDC_CLIENT_SECRET: openIdSecret,
        TAKT_OIDC_NAME: 'Plant ID',
      },
    })
    const ann = { email: 'ann@plant.example', displayName: 'Ann', role: 'it_admin' } as const
    const payload = { ...ann, passwordHash: await hashPassword(password) }
    resultOrThrow(await service.commands.submit('user.create', payload, { companyId: service.companyId }))
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    provider?.close()
  })
  // A signed-in page would continue to poll.
  afterEach(async () => {
    const left = contexts.filter(context => context !== admin.context())
    contexts.splice(0)
    await Promise.all(left.map(context => context.close()))
  })

  /** A new browser without cookies of Takt or the provider. */
  async function freshPage(path = '/'): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-US' })
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(service.url + path)
    return page
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  /** Signs in on the pages of the provider. */
  async function passProvider(page: Page, account: string): Promise<void> {
    await page.locator('input[name=login]').fill(account)
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.getByText('Authorize').first().waitFor()
    await page.locator('button[type=submit]').click()
  }

  async function signInAs(account: string, path = '/'): Promise<Page> {
    const page = await freshPage(path)
    await button(page, 'Sign in with Plant ID').click()
    await passProvider(page, account)
    return page
  }

  const users = () => admin.evaluate<readonly UserResponse[]>("fetch('/users').then(answer => answer.json())")
  const put = (path: string, body: object) =>
    admin.evaluate<number>(
      `fetch('${path}', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} }).then(({ status }) => status)`,
    )

  it('While the provider is unavailable, the sign-in shows an error, and passwords still work', async () => {
    admin = await freshPage()
    await button(admin, 'Sign in with Plant ID').click()
    await admin.getByText('The identity provider is unavailable. Retry later.').waitFor()
    await assertAccessible(admin, 'sign-in with a provider')
    await admin.getByLabel('Email address').fill('ann@plant.example')
    await admin.getByLabel('Password', { exact: true }).fill(password)
    await button(admin, 'Sign in').last().click()
    await heading(admin, 'Floor')
    await provider.open(`${service.url}/app/sign-on`)
    // A failed provider is not queried again for five seconds.
    while ((await fetch(`${service.url}/session/openid/start`, { method: 'POST' })).status !== 200) await sleep(1000)
  })

  it('An identity of the provider without a linked user is rejected with an explanation', async () => {
    const page = await signInAs('ada')
    await page.getByText('No user is linked to this identity.').waitFor()
    assert.equal(page.url(), `${service.url}/app/sign-on`)
    await assertAccessible(page, 'refused')
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual(
      (await users()).map(({ displayName }) => displayName),
      ['Ann'],
    )
  })

  it('The first sign-in creates the user with the role of the claim if the company allows it', async () => {
    assert.equal(await put('/settings/sign-on', { makesUsers: true, defaultRole: null }), 200)
    const refused = await signInAs('guest')
    await refused.getByText('The provider assigns you no role.').waitFor()
    provider.accounts.set('ada', { name: 'Ada Lovelace', takt_role: ['guest', 'executive', 'operator'] })
    const page = await signInAs('ada', '/app/keys?kept=1')
    await heading(page, 'API keys')
    assert.equal(page.url(), `${service.url}/app/keys?kept=1`)
    await page.reload()
    await heading(page, 'API keys')
    const made = (await users()).find(({ email }) => email === 'ada@id.example')
    assert.deepInclude(made, { displayName: 'Ada Lovelace', role: 'executive', hasPassword: false })
    assert.deepEqual(made?.identity, { issuer: provider.issuer, subject: 'ada' })
  })

  it('A user is identified by issuer and subject regardless of the email address, and follows the role claim', async () => {
    provider.accounts.set('ada', { email: 'ann@plant.example', takt_role: 'operator' })
    const page = await signInAs('ada')
    await heading(page, 'Floor')
    await page.getByText('Ada Lovelace').waitFor()
    assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0)
    assert.equal((await users()).length, 2)
    await button(page, 'Sign out').click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('An email address of the provider signs in no existing user', async () => {
    provider.accounts.set('mallory', { email: 'ann@plant.example', takt_role: 'it_admin' })
    const page = await signInAs('mallory')
    await page.getByText('Another user has this email address').waitFor()
  })

  it('A user with a password links an identity of the provider and then signs in with it', async () => {
    await admin.goto(`${service.url}/app/account`)
    await button(admin, 'Link to Plant ID').click()
    await passProvider(admin, 'ann-at-id')
    await admin.getByText('Enter your Takt password').waitFor()
    await assertAccessible(admin, 'linking')
    await admin.getByLabel('Current password').fill('wrong')
    await button(admin, 'Link').click()
    await admin.getByText('currentPassword is wrong').first().waitFor()
    await admin.getByLabel('Current password').fill(password)
    await button(admin, 'Link').click()
    await admin.getByText('Your user is linked to your identity at Plant ID.').waitFor()
    await assertAccessible(admin, 'account with a provider')
    const page = await signInAs('ann-at-id')
    await heading(page, 'Floor')
    assert.equal((await users()).length, 2)
    await admin.goto(service.url)
    await heading(admin, 'Floor')
    await admin.goto(`${service.url}/app/account`)
    await button(admin, 'Unlink').click()
    await button(admin, 'Link to Plant ID').waitFor()
  })

  it('A response of the provider is accepted only once and only in the browser that requested it', async () => {
    const page = await freshPage()
    const post = (query: string) =>
      page.evaluate<number>(
        `fetch('/session/openid', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: ${JSON.stringify(query)} }) }).then(({ status }) => status)`,
      )
    assert.equal(await post('code=a&state=b'), 401)
    await page.route('**/session/openid', route => route.abort())
    await button(page, 'Sign in with Plant ID').click()
    const back = page.waitForRequest(/app\/sign-on/)
    await passProvider(page, 'ada')
    await page.getByText('You are not signed in').waitFor()
    const query = new URL((await back).url()).search.slice(1)
    await page.unroute('**/session/openid')
    const stranger = await freshPage()
    const strange = await stranger.evaluate<number>(
      `fetch('/session/openid/start', { method: 'POST' }).then(() => fetch('/session/openid', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: ${JSON.stringify(query)} }) })).then(({ status }) => status)`,
    )
    assert.equal(strange, 401)
    await page.goto(service.url)
    assert.equal(await post(query), 200)
    assert.equal(await post(query), 401)
  })
})
