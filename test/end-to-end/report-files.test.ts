import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import * as fc from 'fast-check'
import { read as readBook, utils } from 'xlsx'
import { fileColumns, flatten, type FlatRow, type NestedReport } from '../api/files/flatten.ts'
import { withoutFormulas } from '../api/files/without-formulas.ts'
import { compareValues } from '../oracle/compare.ts'
import type { OracleRequest } from '../oracle/oracle.ts'
import { arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { readAs } from '../support/read-as.ts'
import { parseRfc4180 } from '../support/rfc4180.ts'
import type { TestService } from '../support/service.ts'
import { forAll } from '../support/for-all.ts'
import { postSamples, startPlant } from './plant-service.ts'

const plants = 2

interface Answer extends NestedReport {
  readonly csv: { readonly url: string }
}

interface FlatAnswer extends Omit<Answer, 'items'> {
  readonly items: readonly FlatRow[]
}

describe('files of reports of random plants', function () {
  this.timeout(3_600_000)
  const folder = mkdtempSync(join(tmpdir(), 'takt-parquet-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('CSV, XLSX and Parquet files have the names and numbers of the nested and the flattened report', () =>
    forAll(
      fc.asyncProperty(arbitraryPlantWithRequests({}, 8), async ({ plant, requests }) => {
        const service = await startPlant(plant)
        try {
          await postSamples(service, plant.samples, 500)
          await service.settled()
          service.setClock(plant.nowMs)
          const token = await userToken(service)
          for (const request of requests) await compareForms(service, request, token)
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))

  async function compareForms(service: TestService, request: OracleRequest, token: string): Promise<void> {
    const ask = async (more: object) => {
      const { status, body } = await service.call('POST', `/reports/${request.report}`, { ...request, ...more })
      assert.equal(status, 200)
      return body
    }
    const nested = readAs<Answer>(await ask({ csv: true }))
    const flat = readAs<FlatAnswer>(await ask({ flatten: true, csv: true, format: 'parquet' }))
    const rows = flatten(nested, { isGrouped: (request.groupBy ?? []).length > 0 })
    const book = readAs<Answer>(await ask({ format: 'xlsx' }))
    // Two queries: floating-point sums of the engine may differ in the last digit.
    assert.deepEqual(compareValues(flat.items, rows), [])
    assert.deepEqual(compareValues(flat.aggregate, nested.aggregate), [])
    assert.deepEqual(flat.entities, nested.entities)
    assert.match(nested.csv.url, new RegExp(`/csv/${request.report}/\\d+$`))
    await compareCsv(nested, token, rows, request)
    await compareWorkbook(book, token, rows, request)
    await compareParquet(service, flat.csv.url, token, flat.items)
  }

  async function compareCsv(nested: Answer, token: string, rows: readonly FlatRow[], request: OracleRequest) {
    const [header = [], ...lines] = parseRfc4180(
      await download(nested.csv.url, token).then(response => response.text()),
    )
    assert.deepEqual(header, columnsOf(nested, request))
    assert.deepEqual(
      lines,
      rows.map(row => header.map(name => cellOf(row[name] ?? null))),
    )
  }

  async function compareWorkbook(nested: Answer, token: string, rows: readonly FlatRow[], request: OracleRequest) {
    const bytes = await download(nested.csv.url, token).then(response => response.arrayBuffer())
    const sheet = readBook(Buffer.from(bytes)).Sheets[request.report] ?? {}
    const [titles = [], ...lines] = utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, defval: null })
    const names = columnsOf(nested, request)
    assert.lengthOf(titles, names.length)
    const read = rows.map((_, i) =>
      Object.fromEntries(names.map((name, j) => [name, bookCell(lines[i]?.[j], String(titles[j]))])),
    )
    // An empty text is an empty cell.
    const valueOf = (value: FlatRow[string] | undefined) => (value === undefined || value === '' ? null : value)
    const expected = rows.map(row => Object.fromEntries(names.map(name => [name, valueOf(row[name])])))
    assert.deepEqual(compareValues(read.map(withoutTimes), expected.map(withoutTimes)), [])
  }

  async function compareParquet(service: TestService, url: string, token: string, rows: readonly FlatRow[]) {
    const path = join(folder, 'report.parquet')
    const response = await download(url, token)
    writeFileSync(path, new Uint8Array(await response.arrayBuffer()))
    const read = await service.store.query<Record<string, unknown>>({
      parts: [`SELECT * FROM file('${path}', Parquet)`],
    })
    const names = Object.keys(read[0] ?? {})
    assert.deepEqual(
      read.map(row => names.map(name => readCell(name, row[name]))),
      rows.map(row => names.map(name => readCell(name, row[name]))),
    )
  }
})

/** Names of the columns of a file. */
function columnsOf({ aggregate }: Answer, { groupBy = [], data }: OracleRequest): readonly string[] {
  const groups = groupBy.flatMap(({ group }) => fileColumns(group))
  return [...groups, ...(data?.map(({ metric }) => metric) ?? Object.keys(aggregate))]
}

/** The value of a workbook's cell in the unit of the report. */
function bookCell(value: unknown, title: string): string | number | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return null
  return value * (title.endsWith(' (h)') ? 3_600_000 : title.endsWith(' (s)') ? 1000 : 1)
}

/** A row without instants and dates, whose cells in a workbook are local times, and without ids that may be texts there. */
function withoutTimes(row: FlatRow): FlatRow {
  const kept = Object.entries(row).filter(([name]) => !isTime(name) && !integers.has(name))
  return Object.fromEntries(kept)
}

function isTime(name: string): boolean {
  return /^(hour|day|week|month|quarter|minStartTime|maxEndTime)|(StartAt|EndAt)$/.test(name)
}

/** The cell as text, as the engine writes it. */
const integers: ReadonlySet<string> = new Set([
  ...['hour', 'day', 'week', 'month', 'quarter', 'nativeCode'].map(group => `${group}Id`),
  'recordCount',
  'machineCount',
  'rejectCount',
])

function cellOf(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  return withoutFormulas(value)
}

/** Instants of any form as UTC ms, and integers of the file as numbers; other values unchanged. */
function readCell(name: string, value: unknown): unknown {
  if (integers.has(name)) return value === null ? null : Number(value)
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d([ T][\d:.]+Z?)?$/.test(value)) return value ?? null
  return Date.parse(value.length === 10 ? value : `${value.replace(' ', 'T').replace('Z', '')}Z`)
}

async function download(url: string, token: string): Promise<Response> {
  const response = await fetch(`${url}?token=${token}`)
  assert.equal(response.status, 200)
  return response
}

async function userToken(service: TestService): Promise<string> {
  const { body } = await service.call('GET', '/user-token')
  assert.isString(body)
  return String(body)
}
