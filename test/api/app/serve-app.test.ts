import { assert } from 'chai'
import { routes } from '../../../api/create-api.ts'
import { startApi, type TestApi } from '../../support/api.ts'

describe('the web application over HTTP', () => {
  let api: TestApi
  let page: string
  before(async () => {
    api = await startApi()
    page = await (await fetch(`${api.url}/`)).text()
  })
  after(() => api.close())

  const assets = () => [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)

  it('Every address of the application returns its page with a strict Content-Security-Policy', async () => {
    for (const path of ['/', '/app', '/app/keys', '/app/no/such/screen', '/?status=FAULT']) {
      const response = await fetch(api.url + path)
      assert.equal(response.status, 200, path)
      assert.include(response.headers.get('content-type') ?? '', 'text/html')
      assert.equal(response.headers.get('cache-control'), 'no-cache')
      const policy = response.headers.get('content-security-policy') ?? ''
      for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'"]) assert.include(policy, part)
      assert.notInclude(policy, 'unsafe')
    }
  })

  it('The page names its files by relative addresses, so that a proxy can serve it under a path', async () => {
    assert.isAbove(assets().length, 3)
    for (const address of assets()) assert.match(address, /^assets\/[\w-]+\.\w+$/)
    const deep = await (await fetch(`${api.url}/app/a/b`)).text()
    assert.include(deep, `"../../${assets()[0]}"`)
  })

  it('Files of the application are immutable for caches and are sent compressed', async () => {
    for (const address of assets()) {
      const response = await fetch(`${api.url}/${address}`, { headers: { 'accept-encoding': 'br' } })
      assert.equal(response.status, 200, address)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.match(address, /-[A-Z0-9]{8}\./)
    }
    const script = assets().find(address => /app-.*\.js$/.test(address)) ?? ''
    for (const [asked, sent] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const response = await fetch(`${api.url}/${script}`, { headers: { 'accept-encoding': asked } })
      assert.equal(response.headers.get('content-encoding'), sent)
      assert.include(response.headers.get('vary') ?? '', 'Accept-Encoding')
      assert.include(await response.text(), 'import')
    }
  })

  it('The icon of the application is served at /icon.svg', async () => {
    const response = await fetch(`${api.url}/icon.svg`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/svg+xml')
  })

  it('An unknown address outside the application returns 404 in JSON', async () => {
    const asset = await api.call('GET', '/assets/none.js', undefined, { key: null, unchecked: true })
    assert.deepInclude(asset, { status: 404, body: { code: 'NotFound', message: 'Not Found', errors: [] } })
    for (const path of ['/nothing', '/application', '/index.html', '/main.tsx'])
      assert.equal((await api.call('GET', path, undefined, { unchecked: true })).status, 404, path)
  })

  it('No API route has an address of the application', () => {
    for (const { path } of routes) assert.notMatch(path, /^\/(app|assets)?(\/|$)/)
  })
})
