import { randomUUID } from 'node:crypto'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { ApiError, unavailable } from '../../../schema/errors.ts'
import { defaultJsonBounds } from '../../../shared/json/bounds.ts'
import { bugFile } from '../../support/bug-file.ts'
import { faultsOf, healthy, startApi, type TestApi } from '../../support/api.ts'

const unchecked = { unchecked: true } as const
const json = { 'content-type': 'application/json' } as const

describe('HTTP: authentication', () => {
  let api: TestApi
  before(async () => (api = await startApi()))
  after(() => api.close())

  it('A request without a valid key receives 401, also on an unknown path', async () => {
    const cases = [
      ['/settings', null],
      ['/settings', 'short'],
      ['/settings', `takt_${'a'.repeat(49)}`],
      ['/settings', 'a key that nobody was ever given, really'],
      ['/nothing/here', null],
    ] as const
    for (const [path, key] of cases) {
      const { status, headers, body } = await api.call('GET', path, undefined, { key, ...unchecked })
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Bearer')
      assert.hasAllKeys(body, ['error', 'error_description'])
      assert.propertyVal(body, 'error', 'invalid_token')
    }
  })

  it('A 401 and a 403 response match the OpenAPI document', async () => {
    await api.call('GET', '/settings', undefined, { key: null })
    const key = api.addKey(['user'])
    await api.call('GET', '/settings', undefined, { key })
  })

  it('A key without the scope receives 403, not 401', async () => {
    const key = api.addKey(['machine.read'])
    assert.equal((await api.call('GET', '/settings', undefined, { key })).status, 200)
    const { status, body } = await api.call('PUT', '/settings', { startOfDay: '06:00' }, { key })
    assert.equal(status, 403)
    assert.deepInclude(body, { code: 'Forbidden', errors: [], error: 'insufficient_scope' })
  })

  it('A key is accepted after Bearer in any letter case, and not in the query string', async () => {
    const key = api.addKey(['machine'])
    const headers = { authorization: `bearer  ${key}` }
    assert.equal((await api.call('GET', '/settings', undefined, { key: null, headers })).status, 200)
    assert.equal((await api.call('GET', `/settings?token=${key}`, undefined, { key: null })).status, 401)
  })

  it('The page, its files, health, metrics and the OpenAPI document need no key', async () => {
    for (const path of ['/', '/app/keys', '/health', '/health/ready', '/health/live', '/metrics', '/openapi.json'])
      assert.equal((await api.call('GET', path, undefined, { key: null, ...unchecked })).status, 200, path)
  })

  it('A preflight request succeeds without a key', async () => {
    const headers = { origin: 'https://erp.example', 'access-control-request-method': 'POST' }
    const { status, headers: answered } = await api.call('OPTIONS', '/reports/production', undefined, {
      key: null,
      headers,
      ...unchecked,
    })
    assert.equal(status, 204)
    assert.equal(answered.get('access-control-allow-origin'), '*')
    assert.include(answered.get('access-control-allow-headers') ?? '', 'Authorization')
    for (const header of ['Content-Type', 'Idempotency-Key', 'X-Requested-With'])
      assert.include(answered.get('access-control-allow-headers') ?? '', header)
  })
})

describe('HTTP: errors', () => {
  let api: TestApi
  let large: TestApi
  let failure: unknown = null
  before(async () => {
    large = await startApi()
    api = await startApi({
      settings: { json: { ...defaultJsonBounds, bytes: 1000 }, corsOrigins: ['https://own.example'] },
      production: async () => {
        throw failure
      },
      health: async () => ({ ...healthy, status: 'unavailable' }),
      readiness: async () => ({ ready: false, reasons: ['log_unavailable'], liveLag: { records: 1, seconds: 1 } }),
    })
  })
  after(() => Promise.all([api.close(), large.close()]))

  it('Invalid JSON receives 400 with only the message that it cannot be parsed', async () => {
    const cases = ['{"startOfDay":', 'nonsense']
    for (const raw of cases) {
      const { status, body } = await api.call('PUT', '/settings', undefined, { raw, headers: json })
      assert.equal(status, 400)
      assert.deepEqual(body, { message: 'Problem parsing JSON' })
    }
  })

  it('JSON that is not UTF-8 receives 400, in a small and in a large body, and is not stored', async () => {
    for (const padding of [0, 70_000]) {
      const raw = Buffer.from(`{"companyName":"Fr\xe4se","x":"${' '.repeat(padding)}"}`, 'latin1')
      const { status, body } = await large.call('PUT', '/settings', undefined, { raw, headers: json })
      assert.deepEqual([status, body], [400, { message: 'Problem parsing JSON: it is not valid UTF-8' }])
    }
    assert.notInclude(JSON.stringify((await large.call('GET', '/settings')).body), '\ufffd')
    const raw = Buffer.from('\ufeff{"companyName":"Fräse"}')
    const { status, body } = await large.call('PUT', '/settings', undefined, { raw, headers: json })
    assert.equal(status, 200)
    assert.propertyVal(body, 'companyName', 'Fräse')
  })

  it('A recorded body in Windows-1252 receives 400, as a record and as a GraphQL query', async function () {
    for (const [method, path, file] of [
      ['PUT', `/machines/${randomUUID()}`, 'machine.json'],
      ['POST', '/graphql', 'query.json'],
    ] as const) {
      const raw = bugFile(this, `25-json-not-utf-8/${file}`)
      const { status, body } = await api.call(method, path, undefined, { raw, headers: json })
      assert.equal(status, 400)
      assert.include(JSON.stringify(body), 'it is not valid UTF-8')
    }
  })

  it('A declared charset other than UTF-8 receives 415, with any spelling of the parameter', async () => {
    for (const charset of ['charset=ISO-8859-1', 'charset="windows-1252"', 'CHARSET = utf-16', 'x=1;charset=latin1'])
      for (const [method, path] of [
        ['PUT', '/settings'],
        ['POST', '/ingest/samples'],
      ] as const) {
        const headers = { 'content-type': `application/json; ${charset}` }
        const { status, body } = await api.call(method, path, undefined, { raw: '{}', headers })
        assert.equal(status, 415, `${path} ${charset}`)
        assert.propertyVal(body, 'message', 'The body must be UTF-8')
      }
    const headers = { 'content-type': 'application/json; charset="UTF-8"' }
    assert.equal((await api.call('PUT', '/settings', undefined, { raw: '{}', headers })).status, 200)
  })

  it('A query string that is not UTF-8 receives 400', async () => {
    for (const query of ['machine_id=%E4', 'machine_id=Fr%C3%A4se%ff', '%c3=1']) {
      const { status, body } = await api.call('GET', `/part-adjustments?${query}`)
      assert.equal(status, 400, query)
      assert.deepInclude(body, { code: 'ValidationError' })
    }
    assert.equal((await api.call('GET', '/health?text=Fr%C3%A4se+50%')).status, 200)
  })

  it('A body that cannot be decompressed receives 400 with the cause', async () => {
    const whole = gzipSync('{"companyName":"Cut"}')
    for (const [encoding, raw, message] of [
      ['gzip', Buffer.from('not gzip'), 'The body is not valid gzip: incorrect header check'],
      ['gzip', whole.subarray(0, 20), 'The body is not valid gzip: unexpected end of file'],
      ['x-gzip', whole.subarray(0, -4), 'The body is not valid gzip: unexpected end of file'],
      ['deflate', deflateRawSync('{}'), 'The body is not valid deflate (zlib format): incorrect header check'],
      ['br', Buffer.from('not brotli'), 'The body is not valid brotli: Decompression failed'],
    ] as const) {
      const headers = { ...json, 'content-encoding': encoding }
      const { status, body } = await api.call('PUT', '/settings', undefined, { raw, headers })
      assert.deepEqual([status, body], [400, { code: 'BadRequest', message, errors: [] }])
    }
    const headers = { ...json, 'content-encoding': 'X-GZIP' }
    const { status, body } = await api.call('PUT', '/settings', undefined, { raw: whole, headers })
    assert.equal(status, 200)
    assert.propertyVal(body, 'companyName', 'Cut')
  })

  it('Every field error of a body is listed', async () => {
    const answer = await api.call('PUT', '/settings', {
      timeZone: 'Mars/Olympus',
      startOfDay: '6:00',
      firstDayOfWeek: 8,
      scheduledBy: 'whim',
      autoProduction: 'yes',
      thresholds: { oeeWarning: 2 },
      unknown: 'is ignored',
    })
    assert.equal(answer.status, 400)
    assert.deepInclude(answer.body, { code: 'ValidationError', message: 'Validation Error' })
    assert.sameMembers(faultsOf(answer), [
      'timeZone InvalidDataItem',
      'startOfDay InvalidDate',
      'firstDayOfWeek OutOfRange',
      'scheduledBy InvalidEnum',
      'autoProduction InvalidType',
      'thresholds.oeeWarning OutOfRange',
    ])
  })

  it('A body that is missing or is not an object receives 400', async () => {
    for (const body of [null, 3, [], 'text', undefined]) {
      const answer = await api.call('PUT', '/settings', body)
      assert.equal(answer.status, 400)
      assert.deepEqual(faultsOf(answer), ['body InvalidType'])
    }
  })

  it('An unknown path or method receives 404 in JSON', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['GET', '/machines/1/2/3'],
    ] as const) {
      const { status, body } = await api.call(method, path, undefined, unchecked)
      assert.equal(status, 404)
      assert.deepEqual(body, { code: 'NotFound', message: 'Not Found', errors: [] })
    }
  })

  it('A method that a path does not have receives 405 with the allowed methods', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/settings', 'GET, PUT, HEAD'],
      ['GET', '/reports/production', 'POST'],
      ['POST', '/health', 'GET, HEAD'],
    ] as const) {
      const { status, headers, body } = await api.call(method, path, undefined, unchecked)
      assert.equal(status, 405, path)
      assert.equal(headers.get('allow'), allow)
      assert.deepInclude(body, { code: 'MethodNotAllowed', errors: [] })
    }
  })

  it('An unknown field with a name similar to a known one causes a warning', async () => {
    const { status, body, headers } = await api.call('PUT', '/settings', { timezone: 'UTC', comment: 'mine' })
    assert.equal(status, 200)
    assert.deepNestedPropertyVal(body, 'warnings', [
      { field: 'timezone', message: 'timezone is unknown and was ignored; did you mean timeZone?' },
    ])
    assert.isNull(headers.get('takt-warnings'))
  })

  it('An empty query parameter filters nothing and causes a warning in a header', async () => {
    const { status, headers } = await api.call('GET', '/part-adjustments?machine_id=')
    assert.equal(status, 200)
    assert.include(headers.get('takt-warnings') ?? '', 'machine_id is empty and was ignored')
  })

  it('A scalar of another type is converted only if no information is lost', async () => {
    const taken = await api.call('PUT', '/settings', { companyName: 4711, firstDayOfWeek: '7', autoProduction: 'true' })
    assert.equal(taken.status, 200)
    assert.deepInclude(taken.body, { companyName: '4711', firstDayOfWeek: 7, autoProduction: true })
    const refused = await api.call('PUT', '/settings', {
      companyName: 2 ** 60,
      firstDayOfWeek: '1234567890123456789',
      operatorMaxHours: '',
      autoProduction: 1,
    })
    assert.sameMembers(faultsOf(refused), [
      'companyName InvalidType',
      'firstDayOfWeek InvalidType',
      'operatorMaxHours InvalidType',
      'autoProduction InvalidType',
    ])
  })

  it('A path that cannot be decoded receives 400', async () => {
    assert.equal((await api.call('GET', '/machines/%E0%A4%A', undefined, unchecked)).status, 400)
  })

  it('A body that exceeds the byte limit receives 413, also after decompression', async () => {
    const large = { companyName: 'x'.repeat(2000) }
    const { status, body } = await api.call('PUT', '/settings', large)
    assert.equal(status, 413)
    assert.deepInclude(body, { code: 'PayloadTooLarge', errors: [] })
  })

  it('A body that is not JSON or has an unknown encoding receives 415', async () => {
    const headers = { 'content-type': 'text/xml' }
    const { status, body } = await api.call('PUT', '/settings', undefined, { raw: '<x/>', headers })
    assert.equal(status, 415)
    assert.deepInclude(body, { code: 'UnsupportedMediaType', errors: [] })
    const encoded = await api.call('PUT', '/settings', undefined, {
      raw: '{}',
      headers: { ...json, 'content-encoding': 'zip' },
    })
    assert.equal(encoded.status, 415)
  })

  it('A temporary failure is a 503 or 429 with Retry-After and without internal details', async () => {
    failure = unavailable('The processors are behind', 7)
    const { status, headers, body } = await api.call('POST', '/reports/production', {})
    assert.equal(status, 503)
    assert.equal(headers.get('retry-after'), '7')
    assert.deepEqual(body, { code: 'Unavailable', message: 'The processors are behind', errors: [] })
    failure = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7'), { retryable: true })
    const away = await api.call('POST', '/reports/production', {})
    assert.equal(away.status, 503)
    assert.notInclude(JSON.stringify(away.body), '10.0.0.7')
    failure = new ApiError(429, 'TooManyRequests', 'Too many reports at once', { retryAfterS: 1 })
    assert.equal((await api.call('POST', '/reports/production', {})).status, 429)
  })

  it('An unexpected failure is a 500 with a request id and no details', async () => {
    failure = new Error('password=secret at /srv/takt')
    const { status, headers, body } = await api.call('POST', '/reports/production', {})
    assert.equal(status, 500)
    assert.deepEqual(body, {
      code: 'InternalError',
      message: 'Internal Server Error',
      errors: [],
      requestId: headers.get('x-request-id'),
    })
    assert.notInclude(JSON.stringify(body), 'secret')
    failure = new ApiError(500, 'CommandFailed', 'The command failed: secret')
    const failed = await api.call('POST', '/reports/production', {})
    assert.notInclude(JSON.stringify(failed.body), 'secret')
  })

  it('An unavailable service responds 200 to /health, 503 to /health/ready and 200 to /health/live', async () => {
    const health = await api.call('GET', '/health')
    assert.equal(health.status, 200)
    assert.propertyVal(health.body, 'status', 'unavailable')
    const ready = await api.call('GET', '/health/ready', undefined, { key: null })
    assert.equal(ready.status, 503)
    assert.isNotNull(ready.headers.get('retry-after'))
    assert.deepEqual(ready.body, { ready: false, reasons: ['log_unavailable'], liveLag: { records: 1, seconds: 1 } })
    const live = await api.call('GET', '/health/live', undefined, { key: null })
    assert.deepEqual([live.status, live.body], [200, { status: 'ok' }])
  })

  it('Only pages of configured origins receive CORS headers', async () => {
    const allowed = async (origin: string) =>
      (await api.call('GET', '/settings', undefined, { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      )
    assert.equal(await allowed('https://own.example'), 'https://own.example')
    assert.isNull(await allowed('https://other.example'))
  })
})

describe('HTTP: request limits', () => {
  it('The request limit counts each key separately', async () => {
    const api = await startApi({ settings: { requestsPerMinute: 2 } })
    try {
      const first = await api.call('GET', '/settings')
      assert.equal(first.headers.get('ratelimit-limit'), '2')
      assert.equal(first.headers.get('ratelimit-remaining'), '1')
      await api.call('GET', '/settings')
      const { status, headers, body } = await api.call('GET', '/settings')
      assert.equal(status, 429)
      assert.deepInclude(body, { code: 'TooManyRequests', errors: [] })
      assert.isNotNull(headers.get('retry-after'))
      assert.equal(headers.get('ratelimit-remaining'), '0')
      const key = api.addKey(['machine'])
      assert.equal((await api.call('GET', '/settings', undefined, { key })).status, 200)
    } finally {
      await api.close()
    }
  })

  it('The request limit counts each user separately, across all sessions', async () => {
    const api = await startApi({ settings: { requestsPerMinute: 2 } })
    try {
      const [one, two] = [await api.signIn('manager'), await api.signIn('manager')]
      const get = (cookie: string) => api.call('GET', '/settings', undefined, { cookie })
      await get(one.cookie)
      assert.equal((await get(one.cookie)).headers.get('ratelimit-remaining'), '0')
      const { status, headers } = await get(one.cookie)
      assert.equal(status, 429)
      assert.isAtLeast(Number(headers.get('retry-after')), 1)
      assert.equal((await get(two.cookie)).status, 200)
    } finally {
      await api.close()
    }
  })

  it('A request limit of 0 means no limit', async () => {
    const api = await startApi({ settings: { requestsPerMinute: 0 } })
    try {
      for (const _ of Array.from({ length: 5 })) assert.equal((await api.call('GET', '/settings')).status, 200)
    } finally {
      await api.close()
    }
  })
})
