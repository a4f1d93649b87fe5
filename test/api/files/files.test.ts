import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { pino } from 'pino'
import { type Files, type FilesOptions, openFiles } from '../../../api/files/files.ts'
import type { FileReport, FileTableRow, FileTable } from '../../../api/files/table.ts'
import { type FileFormat, fileFormats } from '../../../schema/requests/report.ts'
import { ApiError } from '../../../schema/errors.ts'
import { type CompanyRecord, defaultCompanySettings } from '../../../schema/records/company.ts'
import { type StoreKind, useFreshDatabase } from '../../support/database.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

const range = { form: 'days', startDay: '2026-03-01', endDay: '2026-03-02' } as const
const company: CompanyRecord = { id: 'company-1', ref: asCompanyRef(1), settings: defaultCompanySettings }

for (const kind of ['embedded', 'front'] as const satisfies readonly StoreKind[]) {
  describe(`report files, the store ${kind}`, () => {
    const store = useFreshDatabase(kind)
    let folder: string
    let nowMs: number
    let files: Files

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'takt-files-'))
      nowMs = Date.parse('2026-03-02T00:00:00.000Z')
      files = open()
    })
    afterEach(() => {
      files.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const open = (options: Partial<FilesOptions> = {}) =>
      openFiles({
        folder: join(folder, 'exports'),
        lifetimeMs: 24 * hourMs,
        store: store(),
        clock: () => nowMs,
        logger: pino({ level: 'silent' }),
        ...options,
      })
    const keep = (table: FileTable, format: FileFormat = 'csv') =>
      files.create({ company, report: 'production', format, range, table })
    const find = (url: string, companyId = company.id, report: FileReport = 'production') =>
      files.find({ companyId, report, id: Number(url.split('/').at(-1)) })
    const left = () => readdirSync(join(folder, 'exports'))

    it('A report file is found by its own company and report only', async () => {
      const { url, expires } = await keep(small)
      assert.match(url, /^\/csv\/production\/\d+$/)
      assert.equal(expires, new Date(nowMs + 24 * hourMs).toISOString())
      const found = await find(url)
      assert.equal(readFileSync(found?.path ?? '', 'utf8'), 'name,count\r\nA,1\r\n,\r\n')
      assert.isNull(await find(url, 'company-2'))
      assert.isNull(await find(url, company.id, 'alarm'))
      assert.isNull(await find('/csv/production/1'))
    })

    it('A report file expires after 24 hours and is then deleted', async () => {
      const { url } = await keep(small)
      nowMs += 24 * hourMs - 1
      assert.isNotNull(await find(url))
      await files.sweep()
      assert.lengthOf(left(), 1)
      nowMs += 1
      assert.isNull(await find(url))
      await files.sweep()
      assert.isEmpty(left())
    })

    it('A report file survives a restart until it expires', async () => {
      const { url } = await keep(small)
      files.stop()
      files = open()
      assert.isNotNull(await find(url))
      nowMs += 25 * hourMs
      files.stop()
      files = open()
      await files.sweep()
      assert.isEmpty(left())
    })

    it('A report file is served by every process that shares its folder, and is unknown to other processes', async () => {
      const { url } = await keep(small)
      const [sharing, other] = [open(), open({ folder: join(folder, 'other') })]
      const which = { companyId: company.id, report: 'production', id: Number(url.split('/').at(-1)) } as const
      assert.isNotNull(await sharing.find(which))
      assert.isNull(await other.find(which))
      await other.sweep()
      sharing.stop()
      other.stop()
    })

    it('A report file that exceeds the disk quota is rejected with 503 until space is free again', async () => {
      files.stop()
      files = open({ maxBytes: 30_000 })
      await keep(small)
      await keep(small)
      await keep(small)
      const refused: unknown = await keep(small).catch((error: unknown) => error)
      assert.instanceOf(refused, ApiError)
      assert.include(refused, { status: 503, retryAfterS: 600 })
      const again = open({ maxBytes: 30_000 })
      await again.sweep()
      again.stop()
      const wish = { company, report: 'production', format: 'csv', range, table: small } as const
      const full: unknown = await again.create(wish).catch((error: unknown) => error)
      assert.match(String(full), /No disk space/)
      nowMs += 25 * hourMs
      await files.sweep()
      assert.match((await keep(small)).url, /production/)
    })

    it('Report files of one company leave disk space for those of another', async () => {
      files.stop()
      files = open({ maxBytes: 60_000, isShared: () => true })
      for (let i = 0; i < 3; i++) await keep(small)
      const refused: unknown = await keep(small).catch((error: unknown) => error)
      assert.match(String(refused), /No disk space/)
      const other = { ...company, id: 'company-2' }
      const wish = { company: other, report: 'production', format: 'csv', range, table: small } as const
      assert.match((await files.create(wish)).url, /production/)
    })

    it('The number of report files of a company is limited, also after a restart and for parallel requests', async () => {
      files.stop()
      files = open({ maxFiles: 3 })
      const kept = await Promise.allSettled(Array.from({ length: 5 }, () => keep(small)))
      assert.lengthOf(
        kept.filter(({ status }) => status === 'fulfilled'),
        3,
      )
      const failed: unknown = await keep({ columns: small.columns, rows: failing() }).catch((error: unknown) => error)
      assert.match(String(failed), /The company has 3 files of reports, the maximum/)
      files.stop()
      files = open({ maxFiles: 3 })
      await files.sweep()
      const refused: unknown = await keep(small).catch((error: unknown) => error)
      assert.include(refused, { status: 503, retryAfterS: 600 })
      const other = { ...company, id: 'company-2' }
      assert.match(
        (await files.create({ company: other, report: 'production', format: 'csv', range, table: small })).url,
        /production/,
      )
      nowMs += 25 * hourMs
      await files.sweep()
      const failure: unknown = await keep({ columns: small.columns, rows: failing() }).catch((error: unknown) => error)
      assert.match(String(failure), /the store is gone/)
      for (let i = 0; i < 3; i++) await keep(small)
    })

    it('A report file that is being written still counts while all files are recounted', async () => {
      files.stop()
      files = open({ maxBytes: 100_000 })
      let written = 0
      const rows = function* (): Generator<FileTableRow> {
        for (; ; written++) yield ['a name', 1]
      }
      const refused = keep({ columns: small.columns, rows: rows() }).catch((error: unknown) => error)
      const sweeping = setInterval(() => void files.sweep(), 5)
      assert.include(await refused, { status: 503 })
      clearInterval(sweeping)
      await files.sweep()
      for (let i = 0; i < 9; i++) await keep(small)
      assert.match(String(await keep(small).catch((error: unknown) => error)), /No disk space/)
    })

    it('Writing a report file stops when it exceeds the disk quota of its company', async () => {
      files.stop()
      files = open({ maxBytes: 100_000 })
      const rows = function* (): Generator<FileTableRow> {
        for (;;) yield ['a name', 1]
      }
      const refused: unknown = await keep({ columns: small.columns, rows: rows() }).catch((error: unknown) => error)
      assert.include(refused, { status: 503, retryAfterS: 600 })
      assert.isEmpty(left())
    })

    it('A report file that fails while it is written is deleted', async () => {
      for (const format of fileFormats) {
        const failure: unknown = await keep({ columns: small.columns, rows: failing() }, format).catch(
          (error: unknown) => error,
        )
        assert.match(String(failure), /the store is gone/)
        assert.isEmpty(left())
      }
    })

    it('A report file has another name until it is complete', async () => {
      const seen: string[][] = []
      const rows = function* (): Generator<FileTableRow> {
        seen.push(left())
        yield ['A', 1]
      }
      await keep({ columns: small.columns, rows: rows() })
      assert.match(seen[0]?.join() ?? '', /^\d+\.part$/)
      assert.match(left().join(), /^\d+$/)
    })

    it('An unfinished report file of a killed process is deleted after a while', async () => {
      const [old, young] = [join(folder, 'exports', '1.part'), join(folder, 'exports', '2.part')]
      mkdirSync(old, { recursive: true })
      mkdirSync(young)
      const longAgo = Date.now() / 1000 - 7200
      utimesSync(old, longAgo, longAgo)
      await files.sweep()
      assert.deepEqual(left(), ['2.part'])
    })

    it('Report files that are written at the same time have different addresses', async () => {
      const kept = await Promise.all(Array.from({ length: 20 }, (_, i) => keep(tableOf([[`file ${i}`, i]]))))
      assert.equal(new Set(kept.map(({ url }) => url)).size, 20)
      for (const [i, { url }] of kept.entries()) {
        const found = await find(url)
        assert.include(readFileSync(found?.path ?? '', 'utf8'), `file ${i},${i}`)
      }
    })

    it('A Parquet file has the same rows as the report, with types', async () => {
      const rows: FileTableRow[] = [
        ['A', '2026-03-02T00:00:00.000Z', '2026-03-02T06:00:00.123Z', 7, 3_600_000.5, 0.1],
        [`'; DROP TABLE hours -- \\ "`, null, 1_772_431_200_123, -1.5, null, null],
        ['=Fräse\n№', null, null, null, 1e-9, 1],
      ]
      const { url } = await keep({ columns: everyKind, rows }, 'parquet')
      const found = await find(url)
      assert.equal(found?.format, 'parquet')
      const read = await readParquet(found?.path ?? '')
      assert.deepEqual(read, [
        ['A', '2026-03-02', '2026-03-02 06:00:00.123', 7, 3_600_000.5, 0.1],
        [`'; DROP TABLE hours -- \\ "`, null, '2026-03-02 06:00:00.123', -1.5, null, null],
        ['=Fräse\n№', null, null, null, 1e-9, 1],
      ])
      assert.deepEqual(await types(found?.path ?? ''), [
        'Nullable(String)',
        'Nullable(Date32)',
        "Nullable(DateTime64(3, 'UTC'))",
        'Nullable(Float64)',
        'Nullable(Float64)',
        'Nullable(Float64)',
      ])
    })

    it('A Parquet file of 25,000 rows retains their order and leaves no rows in the store', async () => {
      const rows = Array.from({ length: 25_000 }, (_, i): FileTableRow => [`row ${i}`, i])
      const kept = await Promise.all([keep({ columns: small.columns, rows }, 'parquet'), keep(small, 'parquet')])
      const [many = [], few = []] = await Promise.all(
        kept.map(async ({ url }) => readParquet((await find(url))?.path ?? '')),
      )
      assert.deepEqual(
        many,
        rows.map(row => row.slice()),
      )
      assert.deepEqual(few, [
        ['A', 1],
        [null, null],
      ])
      assert.deepEqual(await store().query({ parts: ['SELECT count() AS count FROM export_rows'] }), [{ count: '0' }])
    })

    it('A Parquet file without rows has its columns', async () => {
      const { url } = await keep(tableOf([]), 'parquet')
      assert.lengthOf(await types((await find(url))?.path ?? ''), 2)
    })

    /** Read by ClickHouse itself; only the one in this process reads local files. */
    const readParquet = (path: string) =>
      store()
        .columns<unknown[][]>({ parts: [`SELECT * FROM file('${path}', Parquet)`] })
        .then(transposed)
    const types = async (path: string) => {
      const rows = await store().query<{ type: string }>({ parts: [`DESCRIBE file('${path}', Parquet)`] })
      return rows.map(({ type }) => type)
    }
  })
}

const small: FileTable = tableOf([
  ['A', 1],
  [null, null],
])

const everyKind: FileTable['columns'] = (['text', 'date', 'instant', 'number', 'ms', 'ratio'] as const).map(kind => ({
  name: `of_${kind}`,
  title: kind,
  kind,
}))

function tableOf(rows: readonly FileTableRow[]): FileTable {
  const columns = [
    { name: 'name', title: 'Name', kind: 'text' },
    { name: 'count', title: 'Count', kind: 'number' },
  ] as const
  return { columns, rows }
}

function* failing(): Generator<FileTableRow> {
  yield ['A', 1]
  throw new Error('the store is gone')
}

function transposed(columns: readonly (readonly unknown[])[]): unknown[][] {
  return (columns[0] ?? []).map((_, row) => columns.map(column => column[row]))
}
