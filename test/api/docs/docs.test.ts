import { assert } from 'chai'
import { openApiDocument } from '../../../api/create-api.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import { openChromium, watchPage } from '../../support/chromium.ts'

describe('the API reference page', () => {
  let api: TestApi
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('The API reference needs no key and loads nothing from other hosts', async () => {
    const { status, headers, body } = await api.call('GET', '/docs', undefined, { key: null })
    assert.equal(status, 200)
    assert.include(headers.get('content-security-policy') ?? '', "script-src 'self';")
    assert.notMatch(String(body), /(src|href)="(https?:)?\/\//)
    for (const name of String(body).match(/\/docs\/[\w.-]+/g) ?? [])
      assert.equal((await fetch(`${api.url}${name}`)).status, 200, name)
  })

  it('Package files that the API reference does not use are not served', async () => {
    for (const name of ['package.json', 'index.html', '..%2fdocs.html', 'swagger-initializer.js'])
      assert.oneOf((await fetch(`${api.url}/docs/${name}`)).status, [401, 404], name)
  })

  it('The API reference has the theme of the system, or the one chosen in the application', async function () {
    const browser = await openChromium(this)
    try {
      const page = await browser.newPage({ colorScheme: 'dark' })
      const problems = watchPage(page, api.url)
      // Red of the heading and of its background, 0 to 255.
      const look = async (path: string, heading: string) => {
        await page.goto(api.url + path)
        await page.waitForSelector(heading)
        return page.evaluate<readonly number[]>(
          `[[document.querySelector(${JSON.stringify(heading)}), 'color'], [document.documentElement, 'backgroundColor']]
            .map(([element, name]) => Number(/[0-9]+/.exec(getComputedStyle(element)[name])[0]))`,
        )
      }
      const [text = 0, ground = 255] = await look('/docs', '.swagger-ui .info .title')
      assert.isAbove(text - ground, 150)
      await page.evaluate("localStorage.setItem('takt-theme', 'light')")
      const [darkText = 255, lightGround = 0] = await look('/docs/guides', 'main h1')
      assert.isAbove(lightGround - darkText, 150)
      assert.deepEqual(problems, [])
    } finally {
      await browser.close()
    }
  })

  it('The API reference shows every operation in a browser that enforces its Content-Security-Policy', async function () {
    const browser = await openChromium(this)
    try {
      const page = await browser.newPage()
      const problems = watchPage(page, api.url)
      page.on('response', response => response.status() >= 400 && problems.push(response.url()))
      await page.goto(`${api.url}/docs`)
      await page.waitForSelector('.opblock')
      const operations = Object.values(openApiDocument().paths).flatMap(path => Object.keys(path))
      await page
        .locator('.opblock')
        .nth(operations.length - 1)
        .waitFor()
      assert.equal(await page.locator('.opblock').count(), operations.length)
      await page.locator('.opblock-summary').first().click()
      await page.waitForSelector('.opblock-body')
      assert.deepEqual(problems, [])
    } finally {
      await browser.close()
    }
  })
})
