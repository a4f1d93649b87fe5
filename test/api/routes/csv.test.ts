import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { read, utils } from 'xlsx'
import { pino } from 'pino'
import { hashKey } from '../../../api/auth/key.ts'
import { type Files, openFiles } from '../../../api/files/files.ts'
import type { FileTableRow, FileTable } from '../../../api/files/table.ts'
import type { FileFormat } from '../../../schema/requests/report.ts'
import { adminKey, startApi, type TestApi } from '../../support/api.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { hourMs } from '../../../shared/time/units.ts'

const otherKey = 'an admin key of the second company, long enough'

describe('report files over HTTP', () => {
  const store = useFreshDatabase()
  let folder: string
  let files: Files
  let api: TestApi
  let nowMs: number

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-files-'))
    nowMs = Date.parse('2026-03-02T12:00:00.000Z')
    const logger = pino({ level: 'silent' })
    files = openFiles({ folder, lifetimeMs: 24 * hourMs, store: store(), clock: () => nowMs, logger })
    api = await startApi({ files })
    api.registrar.addCompany('Second', hashKey(otherKey))
  })
  afterEach(async () => {
    files.stop()
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const keep = async (format: FileFormat = 'csv', rows: FileTable['rows'] = someRows) => {
    const company = api.registrar.records.company(api.registrar.company.id) ?? api.registrar.company
    return (await files.create({ company, report: 'production', format, range, table: { columns, rows } })).url
  }
  const get = (path: string, key: string | null = null) => api.call('GET', path, undefined, { key })
  const tokenOf = async (key = adminKey) => String((await get('/user-token', key)).body)

  it('A report file is downloaded with a token, as an attachment', async () => {
    const { status, headers, body } = await get(`${await keep()}?token=${await tokenOf()}`)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
    assert.equal(headers.get('content-disposition'), 'attachment; filename="production_2026-03-01_2026-03-02.csv"')
    assert.equal(headers.get('cache-control'), 'private, no-store')
    assert.equal(body, "name,time\r\nA,5400000\r\n'=B,\r\n")
  })

  it('A report file is localized on request, in the format of the company', async () => {
    const { body } = await get(`${await keep()}?token=${await tokenOf()}&localize=true`)
    assert.equal(body, "Name,Time (h)\r\nA,1.50\r\n'=B,\r\n")
    const german = await get(`${await keep()}?token=${await tokenOf()}&localize=true&language=de`)
    assert.equal(german.body, "Name;Time (h)\r\nA;1,50\r\n'=B;\r\n")
    const other = await get(`${await keep()}?token=${await tokenOf()}&localize=true&language=fr`)
    assert.equal(other.status, 400)
    const plain = await get(`${await keep()}?token=${await tokenOf()}&localize=false`)
    assert.include(String(plain.body), '5400000')
  })

  it('A report file is also downloaded with a key or a token in the header', async () => {
    const path = await keep()
    assert.equal((await get(path, adminKey)).status, 200)
    assert.equal((await get(path, await tokenOf())).status, 200)
  })

  it('A report file is Parquet if its report requested that format', async () => {
    const { status, headers, body } = await get(`${await keep('parquet')}?token=${await tokenOf()}`)
    assert.equal(status, 200)
    assert.equal(headers.get('content-disposition'), 'attachment; filename="production_2026-03-01_2026-03-02.parquet"')
    assert.match(String(body), /^PAR1[\s\S]*PAR1$/)
  })

  it('A report file is a workbook if its report requested that format, whether localized or not', async () => {
    const path = await keep('xlsx')
    for (const query of ['', '&localize=true']) {
      const response = await fetch(`${api.url}${path}?token=${await tokenOf()}${query}`)
      assert.equal(response.status, 200)
      assert.equal(
        response.headers.get('content-type'),
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      )
      assert.equal(
        response.headers.get('content-disposition'),
        'attachment; filename="production_2026-03-01_2026-03-02.xlsx"',
      )
      const { Sheets } = read(Buffer.from(await response.arrayBuffer()))
      assert.hasAllKeys(Sheets, ['production'])
      assert.deepEqual(utils.sheet_to_json(Sheets['production'] ?? {}, { header: 1, raw: true }), [
        ['Name', 'Time (h)'],
        ['A', 1.5],
        ['=B'],
      ])
    }
  })

  it('A report file is not downloaded without a valid token', async () => {
    const path = await keep()
    for (const query of ['', '?token=', '?token=abc', `?token=${await tokenOf()}x`, `?token=${adminKey}`]) {
      const { status, body } = await get(`${path}${query}`)
      assert.equal(status, 401, query)
      assert.hasAllKeys(body, ['error', 'error_description'])
      assert.propertyVal(body, 'error', 'invalid_token')
    }
  })

  it('An API key in the address of a report file is rejected', async () => {
    assert.equal((await get(`${await keep()}?token=${encodeURIComponent(adminKey)}`)).status, 401)
  })

  it('A token in the address is accepted only for report files', async () => {
    assert.equal((await get(`/machines?token=${await tokenOf()}`)).status, 401)
  })

  it('A report file of another company is not found', async () => {
    assert.equal((await get(`${await keep()}?token=${await tokenOf(otherKey)}`)).status, 404)
  })

  it('A report file is not downloaded without the scope', async () => {
    const key = api.addKey(['machine'])
    assert.equal((await get(`${await keep()}?token=${await tokenOf(key)}`)).status, 403)
  })

  it('A report file is not found at another address', async () => {
    const path = await keep()
    const token = await tokenOf()
    const others = [
      path.replace('production', 'alarm'),
      '/csv/production/1',
      '/csv/production/abc',
      '/csv/production/1.5',
    ]
    for (const other of [...others, '/csv/production/-1', '/csv/production/1e999', '/csv/alarm/instances/7'])
      assert.oneOf((await get(`${other}?token=${token}`)).status, [400, 404], other)
  })

  it('A report file is not found after it has expired', async () => {
    const path = await keep()
    nowMs += 24 * hourMs
    assert.equal((await get(`${path}?token=${await tokenOf()}`)).status, 404)
  })

  it('A report file is not downloaded with the token of a deleted key', async () => {
    const key = `a key for files, ${randomUUID()}`
    api.registrar.addKey({ name: 'Test', scopes: ['reporting'], hash: hashKey(key) })
    const [path, token] = [await keep(), await tokenOf(key)]
    assert.equal((await get(`${path}?token=${token}`)).status, 200)
    const id = api.registrar.records.keyByHash(hashKey(key))?.id ?? ''
    await api.registrar.perform('key.delete', { id })
    assert.equal((await get(`${path}?token=${token}`)).status, 401)
    assert.equal((await get('/accounts/current', token)).status, 401)
  })

  it('Reading a report file stops when the client disconnects, and the file can be downloaded again', async () => {
    const path = await keep('csv', manyRows(200_000))
    const response = await fetch(`${api.url}${path}?token=${await tokenOf()}&localize=true`)
    await response.body?.cancel()
    assert.equal((await get(`${path}?token=${await tokenOf()}`)).status, 200)
  })
})

describe('GET /user-token', () => {
  let api: TestApi
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  it('GET /user-token returns a token as a JSON string, with and without graphql', async () => {
    for (const path of ['/user-token', '/user-token?graphql=1']) {
      const { status, contentType, body } = await api.call('GET', path)
      assert.equal(status, 200)
      assert.match(contentType ?? '', /^application\/json/)
      assert.match(String(body), /^[\w-]+\.[\w-]+\.[\w-]+$/)
    }
  })

  it('A user token has the scopes of its key, and no others', async () => {
    const key = api.addKey(['reporting'])
    const { body: token } = await api.call('GET', '/user-token', undefined, { key })
    const withToken = { key: String(token) }
    assert.equal((await api.call('GET', '/machines', undefined, withToken)).status, 200)
    assert.equal((await api.call('GET', '/settings', undefined, withToken)).status, 403)
    assert.nestedProperty((await api.call('GET', '/accounts/current', undefined, withToken)).body, 'company.id')
    assert.equal((await api.call('GET', '/user-token', undefined, withToken)).status, 200)
  })

  it('GET /user-token without a key receives 401', async () => {
    assert.equal((await api.call('GET', '/user-token', undefined, { key: null })).status, 401)
  })
})

const range = { form: 'days', startDay: '2026-03-01', endDay: '2026-03-02' } as const

const columns: FileTable['columns'] = [
  { name: 'name', title: 'Name', kind: 'text' },
  { name: 'time', title: 'Time', kind: 'ms' },
]

const someRows: readonly FileTableRow[] = [
  ['A', 5_400_000],
  ['=B', null],
]

function* manyRows(count: number): Generator<FileTableRow> {
  for (let i = 0; i < count; i++) yield [`row ${i}`, i]
}
