import { existsSync, readdirSync } from 'node:fs'
import { assert } from 'chai'
import { fileOf, type Guide, guides } from '../../../api/docs/guide-list.ts'
import { addressOfGuide } from '../../../api/docs/guide-page.ts'
import { languages } from '../../../schema/languages.ts'
import { startApi, type TestApi } from '../../support/api.ts'

const root = new URL('../../../', import.meta.url)

/** The only script of a guide: the theme that was chosen in the application. */
const themeScript = '<script src="/docs/theme.js"></script>'

/** Every guide in each language that it has. */
const texts = guides.flatMap(guide =>
  languages.flatMap(language => {
    const file = fileOf(guide, language)
    return file === undefined ? [] : [{ guide, language, file, address: addressOfGuide(guide.name, language) }]
  }),
)

/** Guides without a page in German. */
const englishOnly = new Set([
  'readme',
  'glossary',
  'api-guide',
  'graphql',
  'live',
  'configuration',
  'reporting-a-hole',
  'developing',
  'architecture',
  'decisions',
  'dependencies',
  'benchmarks',
])

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
    const files = texts.map(({ file }) => file)
    for (const name of readdirSync(new URL('docs', root)).filter(each => each !== 'pictures'))
      assert.include(files, name === 'decisions' ? 'docs/decisions/README.md' : `docs/${name}`)
    const list = await page('/docs/guides')
    for (const { name } of guides) assert.include(list, `href="/docs/guides/${name}"`)
    assert.notInclude(list, '(Englisch)')
  })

  it('The German list leads to German pages, and marks the pages that exist in English only', async () => {
    const list = await page('/docs/guides?language=de')
    assert.include(list, '<html lang="de">')
    const linkTo = (guide: Guide, mark: string) => {
      const address = addressOfGuide(guide.name, mark === '' ? 'de' : 'en')
      return `<li><a href="${address}"${mark && ' hreflang="en"'}>${guide.entries.de.title}</a>${mark}: ${guide.entries.de.about}</li>`
    }
    for (const guide of guides) assert.include(list, linkTo(guide, englishOnly.has(guide.name) ? ' (Englisch)' : ''))
  })

  it('A guide that exists in English only is served in English to readers of German', async () => {
    assert.equal(await page('/docs/guides/live?language=de'), await page('/docs/guides/live'))
    assert.include(await page('/docs/guides/application?language=de'), '<html lang="de">')
    assert.equal((await fetch(`${api.url}/docs/guides/live?language=fr`)).status, 400)
  })

  it('A German guide leads to German guides, and marks links to English ones', async () => {
    const html = await page('/docs/guides/application?language=de')
    assert.include(html, '<a href="/docs/guides/api-guide" hreflang="en">API</a> (Englisch)')
    assert.include(html, '<a href="/docs/guides?language=de">Anleitungen</a>')
    assert.include(html, '<a href="/docs/guides/application" lang="en" hreflang="en">English</a>')
  })

  it('An unknown guide receives 404', async () => {
    for (const name of ['nothing', '..%2fpackage.json', '__proto__'])
      assert.equal((await api.call('GET', `/docs/guides/${name}`, undefined, { key: null })).status, 404, name)
  })

  for (const { guide, language, file, address } of texts) {
    it(`The guide ${file} has its title, loads nothing from other hosts, and has no broken link`, async () => {
      const html = await page(address)
      assert.include(html, `>${guide.entries[language].title}</h1>`)
      assert.include(html, `<html lang="${language}">`)
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
    for (const { address, file } of texts) {
      const html = await page(address)
      for (const [, path = ''] of html.matchAll(
        /<code>((?:api|bench|clickhouse|demo|ingest|lint|log|processors|schema|service|shared|test|web|docs)\/[\w./-]*)<\/code>/g,
      ))
        assert.isTrue(existsSync(new URL(path, root)), `${file} names ${path}`)
    }
  })
})
