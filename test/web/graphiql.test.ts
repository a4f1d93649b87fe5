import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { hashPassword } from '../../api/auth/password.ts'
import { openChromium } from '../support/chromium.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

describe('GraphiQL', function () {
  let browser: Browser
  let service: TestService
  let page: Page
  let problems: string[]

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    await service.call('PUT', `/machines/${randomUUID()}`, { name: 'Mill' })
    await service.settled()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  beforeEach(async () => {
    page = await browser.newPage()
    problems = []
    page.setDefaultTimeout(120_000)
    page.on('console', message => {
      // The browser logs that no user is signed in.
      if (message.type() === 'error' && !message.text().includes('401')) problems.push(message.text())
    })
    page.on('pageerror', error => problems.push(String(error)))
    page.on('request', request => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:'))
        problems.push(`requested ${request.url()}`)
    })
  })
  afterEach(() => page?.close())

  it('GraphiQL opens at /graphql in a browser, queries with an entered key and shows the schema', async () => {
    const refused: string[] = []
    page.on('response', response => {
      if (response.url().endsWith('/graphql') && response.request().method() === 'POST') refused.push(response.url())
    })
    await page.goto(`${service.url}/graphql`)
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
    await page.getByText('Enter an API key, or sign in').waitFor()
    await page.waitForLoadState('networkidle')
    assert.deepEqual(refused, [], 'no request before the first query')
    assert.equal((await page.locator('.result-window').innerText()).includes('access token'), false)
    await page.getByLabel('API key').fill(testKey)
    await page.getByRole('button', { name: 'Use key' }).click()
    await page.getByText('Using the API key').waitFor()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.locator('.result-window').getByText('"Mill"').waitFor()
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).first().waitFor()
    if (process.env['TAKT_SCREENSHOT']) await page.screenshot({ path: process.env['TAKT_SCREENSHOT'] })
    assert.deepEqual(problems, [])
  })

  it('GraphiQL shows the result of a subscription and its changes', async () => {
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Saw' })
    await page.goto(`${service.url}/graphql?`)
    await page.getByLabel('API key').fill(testKey)
    await page.getByRole('button', { name: 'Use key' }).click()
    await page.getByText('Using the API key').waitFor()
    const editor = page.locator('.graphiql-query-editor .CodeMirror, .graphiql-query-editor .monaco-editor').first()
    await editor.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(`subscription { machines(where: {machineId: {_eq: "${machineId}"}}) { name } }`)
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.locator('.result-window').getByText('"Saw"').waitFor()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Press' })
    await page.locator('.result-window').getByText('"Press"').waitFor()
    await page.getByRole('button', { name: /Stop query/ }).click()
    assert.deepEqual(problems, [])
  })

  it('GraphiQL queries with a token of the signed-in user', async () => {
    const [email, password] = ['ann@example.com', 'a password that is long enough']
    const account: { companyId: string } = JSON.parse(
      JSON.stringify((await service.call('GET', '/accounts/current')).body),
    )
    const passwordHash = await hashPassword(password)
    const user = { email, displayName: 'Ann', role: 'manager', passwordHash } as const
    await service.commands.submit('user.create', user, account)
    await page.goto(`${service.url}/docs/guides`)
    const status = await page.evaluate(
      async body => {
        const headers = { 'content-type': 'application/json' }
        return (await fetch('/session', { method: 'POST', headers, body: JSON.stringify(body) })).status
      },
      { email, password },
    )
    assert.isBelow(status, 300)
    await page.goto(`${service.url}/graphql`)
    await page.getByText('Using the session of the signed-in user').waitFor()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.locator('.result-window').getByText('"Mill"').waitFor()
    assert.deepEqual(problems, [])
  })

  it('A client of /graphql that accepts JSON receives JSON instead of GraphiQL', async () => {
    for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
      const response = await fetch(`${service.url}/graphql?query={Company{name}}`, {
        headers: { accept, authorization: `Bearer ${testKey}` },
      })
      assert.match(response.headers.get('content-type') ?? '', /json/)
    }
    const response = await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } })
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/)
  })
})
