import { noteSkipped } from '../../support/skipped.ts'
import { existsSync } from 'node:fs'
import { assert } from 'chai'
import { type Browser, chromium } from 'playwright-core'
import { openApiDocument } from '../../../api/create-api.ts'
import { startApi, type TestApi } from '../../support/api.ts'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

describe('the reference page', () => {
  let api: TestApi
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('needs no key and names nothing that is elsewhere', async () => {
    const { status, headers, body } = await api.call('GET', '/docs', undefined, { key: null })
    assert.equal(status, 200)
    assert.include(headers.get('content-security-policy') ?? '', "script-src 'self';")
    assert.notMatch(String(body), /(src|href)="(https?:)?\/\//)
    for (const name of String(body).match(/\/docs\/[\w.-]+/g) ?? [])
      assert.equal((await fetch(`${api.url}${name}`)).status, 200, name)
  })

  it('serves nothing else of its packages', async () => {
    for (const name of ['package.json', 'index.html', '..%2fdocs.html', 'swagger-initializer.js'])
      assert.oneOf((await fetch(`${api.url}/docs/${name}`)).status, [401, 404], name)
  })

  it('shows every operation in a browser that keeps to its policy', async function () {
    if (!existsSync(executablePath)) {
      noteSkipped('tests of the page', `install Chromium, or name it in CHROMIUM (none at ${executablePath})`)
      this.skip()
    }
    this.timeout(60_000)
    const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      const problems: string[] = []
      page.on('console', message => message.type() === 'error' && problems.push(message.text()))
      page.on('response', response => response.status() >= 400 && problems.push(response.url()))
      page.on('pageerror', error => problems.push(String(error)))
      page.on('request', request => {
        if (!request.url().startsWith(api.url) && !request.url().startsWith('data:'))
          problems.push(`asked for ${request.url()}`)
      })
      await page.goto(`${api.url}/docs`)
      await page.waitForSelector('.opblock')
      const operations = Object.values(openApiDocument.paths).flatMap(path => Object.keys(path))
      assert.equal(await page.locator('.opblock').count(), operations.length)
      await page.locator('.opblock-summary').first().click()
      await page.waitForSelector('.opblock-body')
      assert.deepEqual(problems, [])
    } finally {
      await browser.close()
    }
  })
})
