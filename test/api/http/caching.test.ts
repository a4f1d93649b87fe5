import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { assert } from 'chai'
import { pino } from 'pino'
import { startApi, type TestApi } from '../../support/api.ts'

const unchecked = { unchecked: true } as const

describe('HTTP: caching', () => {
  let api: TestApi
  before(async () => (api = await startApi()))
  after(() => api.close())
  const cacheControl = async (method: string, path: string, body?: unknown, key?: null) => {
    const { headers } = await api.call(method, path, body, { ...unchecked, ...(key === null && { key }) })
    return headers.get('cache-control')
  }

  /** Sends exactly these headers: `fetch` adds `Cache-Control`. */
  const get = (path: string, headers: OutgoingHttpHeaders) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: number }>((resolve, reject) => {
      const sent = request(api.url + path, { headers }, response => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => (bytes += chunk.length))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }))
      })
      sent.on('error', reject).end()
    })

  it('Responses with data and error responses have Cache-Control: no-store', async () => {
    for (const [method, path, body] of [
      ['GET', '/machines', undefined],
      ['GET', '/settings', undefined],
      ['GET', '/accounts/current', undefined],
      ['GET', '/user-token', undefined],
      ['POST', '/reports/production', {}],
      ['POST', '/graphql', { query: '{ machines { name } }' }],
      ['GET', '/health', undefined],
      ['GET', '/metrics', undefined],
      ['GET', '/nothing', undefined],
      ['DELETE', '/settings', undefined],
    ] as const)
      assert.equal(await cacheControl(method, path, body), 'no-store', `${method} ${path}`)
    assert.equal(await cacheControl('GET', '/machines', undefined, null), 'no-store')
  })

  it('Static documents carry an ETag and are not sent again to a client that has them', async () => {
    for (const path of [
      '/openapi.json',
      '/docs',
      '/docs/guides',
      '/docs/guides/api-guide',
      '/docs/swagger-ui-bundle.js',
      '/docs/guides/pictures/floor-wall-dark.png',
      '/icon.svg',
    ])
      for (const encoding of ['identity', 'br', 'gzip']) {
        const headers = { 'accept-encoding': encoding }
        const first = await get(path, headers)
        assert.deepEqual([first.status, first.headers['cache-control']], [200, 'no-cache'], path)
        assert.isAbove(first.bytes, 100)
        const again = await get(path, { ...headers, 'if-none-match': first.headers.etag ?? '' })
        assert.deepEqual([again.status, again.bytes], [304, 0], path)
      }
  })

  it('A static document has the same content in each encoding', async () => {
    const texts = await Promise.all(
      ['identity', 'br', 'gzip'].map(async encoding => {
        const response = await fetch(`${api.url}/openapi.json`, { headers: { 'accept-encoding': encoding } })
        assert.equal(response.headers.get('content-encoding'), encoding === 'identity' ? null : encoding)
        return response.text()
      }),
    )
    assert.equal(new Set(texts).size, 1)
  })

  it('An invalid range under /docs is ignored', async () => {
    for (const range of ['bytes=5-1', 'bytes=99999999-', 'bytes=-0', 'lines=1-2', 'bytes=0-1,3-2'])
      for (const path of ['/docs/guides.css', '/docs/guides/pictures/floor-wall-dark.png'])
        assert.equal((await fetch(api.url + path, { headers: { range } })).status, 200, range)
    const conditions = { 'if-match': '"other"', 'if-unmodified-since': new Date(0).toUTCString() }
    assert.equal((await fetch(`${api.url}/docs/guides.css`, { headers: conditions })).status, 200)
  })
})

describe('HTTP: addresses in X-Forwarded headers', () => {
  const named = { 'x-forwarded-host': 'takt.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' }
  const signIn = (api: TestApi) =>
    fetch(`${api.url}/session`, {
      method: 'DELETE',
      headers: { ...named, cookie: '__Host-takt_session=x' },
    })

  it('X-Forwarded headers count from a trusted proxy only; a hint is logged for other senders', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const host = async (trustedProxies: readonly string[]) => {
      const api = await startApi({ settings: { trustedProxies }, logger })
      try {
        for (let i = 0; i < 2; i++) await signIn(api)
        return await pageLink(api)
      } finally {
        await api.close()
      }
    }
    assert.equal(await host(['loopback']), 'https://takt.example')
    assert.deepEqual(lines, [])
    assert.match((await host(['192.0.2.0/24'])) ?? '', /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.lengthOf(lines, 1)
    assert.include(lines[0], 'TAKT_TRUSTED_PROXIES')
  })

  /** Base URL of the link to the next page. */
  async function pageLink(api: TestApi): Promise<string | undefined> {
    for (const jobName of ['One', 'Two'])
      await api.call(
        'PUT',
        `/job-operations/${crypto.randomUUID()}`,
        { jobName, lotName: '', operationName: '', partName: '' },
        unchecked,
      )
    const { headers } = await api.call('GET', '/job-operations?limit=1', undefined, { headers: named, ...unchecked })
    return /^<(https?:\/\/[^/]+)\//.exec(headers.get('link') ?? '')?.[1]
  }
})

describe('HTTP: errors of long requests', () => {
  let api: TestApi
  before(async () => (api = await startApi()))
  after(() => api.close())
  const long = 'x'.repeat(90_000)

  it('Error messages repeat at most 200 characters of the request', async () => {
    for (const [method, path, body] of [
      ['PUT', '/settings', { timeZone: long, [long.slice(0, 1_000)]: 1, scheduledBy: long }],
      [
        'PUT',
        `/settings`,
        { thresholds: { [`oeeWarning${long.slice(0, 900)}`]: 'x' }, companyName: { [long.slice(0, 900)]: 1 } },
      ],
      [
        'PUT',
        `/machines/${crypto.randomUUID()}`,
        { name: 'M', machineGroupIds: [long], scheduleId: long, erpMachineId: long },
      ],
      ['GET', `/job-operations/${long.slice(0, 9_000)}`, undefined],
      ['GET', `/operators?limit=${long.slice(0, 9_000)}&after=${long.slice(0, 3_000)}`, undefined],
      [
        'POST',
        '/reports/production',
        { data: [long], groupBy: [long], startDay: long, filter: { [long.slice(0, 900)]: 1 } },
      ],
      ['POST', '/erp/jobdispatch/start', { erpMachineId: long, erpJobOperationRunId: long }],
      ['POST', '/ingest/samples', [{ machineId: long, key: long, type: long, timestamp: long }]],
      ['POST', '/graphql', { query: `{ ${long.slice(0, 80_000)} }` }],
      ['POST', '/graphql', { query: '{ machines { name } }', operationName: long }],
      ['POST', '/graphql', { query: `{ machines(where: {name: {_eq: ${long}}}) { name } }` }],
      ['POST', '/graphql', { query: `{ machines(limit: "${long}") { name } }` }],
      ['POST', '/graphql', { query: 'query($a: Int) { machines(limit: $a) { name } }', variables: { a: long } }],
      ['POST', '/graphql', { query: `{ machines { name } } "${long}"` }],
    ] as const) {
      const { status, body: answered, headers } = await api.call(method, path, body, unchecked)
      const text = JSON.stringify(answered)
      const runs = text.match(/x+/g) ?? []
      assert.isAtMost(Math.max(0, ...runs.map(run => run.length)), 200, `${method} ${path.slice(0, 40)} ${status}`)
      assert.isAtMost((headers.get('takt-warnings') ?? '').length, 2_000)
      assert.notEqual(status, 500)
    }
  })

  it('No error message repeats the path', async () => {
    const status = await new Promise<readonly [number, string]>((resolve, reject) => {
      const sent = request(`${api.url}/${long.slice(0, 14_000)}`, response => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve([response.statusCode ?? 0, text]))
      })
      sent.on('error', reject).end()
    })
    assert.isBelow(status[1].length, 400)
  })
})
