import { existsSync, readdirSync } from 'node:fs'
import { assert } from 'chai'
import { guides } from '../../../api/docs/guides.ts'
import { startApi, type TestApi } from '../../support/api.ts'

const root = new URL('../../../', import.meta.url)

/** The only script of a guide: the theme that was chosen in the application. */
const themeScript = '<script src="/docs/theme.js"></script>'

describe('the guides under /docs/guides', () => {
  let api: TestApi
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const page = async (address: string): Promise<string> => {
    const { status, headers, body } = await api.call('GET', address, undefined, { key: null })
    assert.equal(status, 200, address)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.include(headers.get('content-security-policy') ?? '', "style-src 'self';")
    return String(body)
  }

  it('All pages of docs are served as guides and listed without a key', async () => {
    const files = guides.map(({ file }) => file)
    for (const name of readdirSync(new URL('docs', root)).filter(each => each !== 'pictures'))
      assert.include(files, name === 'decisions' ? 'docs/decisions/README.md' : `docs/${name}`)
    const list = await page('/docs/guides')
    for (const { name } of guides) assert.include(list, `href="/docs/guides/${name}"`)
  })

  it('An unknown guide receives 404', async () => {
    for (const name of ['nothing', '..%2fpackage.json', '__proto__'])
      assert.equal((await api.call('GET', `/docs/guides/${name}`, undefined, { key: null })).status, 404, name)
  })

  for (const { name, file, title } of guides) {
    it(`The guide ${file} has its title, loads nothing from other hosts, and has no broken link`, async () => {
      const html = await page(`/docs/guides/${name}`)
      assert.include(html, `>${title}</h1>`)
      assert.include(html, themeScript)
      assert.notMatch(html.replace(themeScript, ''), /<(?:script|style|iframe)|\sstyle=|<link[^>]*"https?:/)
      for (const [image] of html.matchAll(/<img[^>]*>/g)) {
        const [, source = ''] =
          /^<img src="((?:docs\/)?pictures\/[\w-]+\.png)" alt="[^"]+">$/.exec(image) ?? assert.fail(image)
        const { status, headers } = await fetch(`${api.url}/docs/guides/${source}`)
        assert.deepEqual([status, headers.get('content-type')], [200, 'image/png'], source)
      }
      for (const [, href = ''] of html.matchAll(/<a href="([^"]*)"/g)) await assertLeads(href, html)
    })
  }

  /** Links to other hosts are not followed. */
  async function assertLeads(href: string, html: string): Promise<void> {
    if (href.startsWith('https://')) return
    const [path = '', id] = href.split('#')
    const target = path === '' ? html : await (await fetch(api.url + path)).text()
    if (path !== '') assert.equal((await fetch(api.url + path)).status, 200, href)
    if (id !== undefined) assert.include(target, `id="${id}"`, href)
  }

  it('The guides name only existing files of the repository', async () => {
    for (const { name, file } of guides) {
      const html = await page(`/docs/guides/${name}`)
      for (const [, path = ''] of html.matchAll(
        /<code>((?:api|bench|clickhouse|demo|ingest|lint|log|processors|schema|service|shared|test|web|docs)\/[\w./-]*)<\/code>/g,
      ))
        assert.isTrue(existsSync(new URL(path, root)), `${file} names ${path}`)
    }
  })
})
