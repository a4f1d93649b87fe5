import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { type Files, openFiles } from '../../../../api/files/files.ts'
import { createSnapshot } from '../../../../api/reports/files/export-snapshot.ts'
import type { Store } from '../../../../clickhouse/client/store.ts'
import { render } from '../../../../clickhouse/sql/sql.ts'
import type { HourDocument } from '../../../../schema/document.ts'
import { ApiError } from '../../../../schema/errors.ts'
import { fileFormats } from '../../../../schema/requests/report.ts'
import { type StoreKind, useFreshDatabase } from '../../../support/database.ts'
import { parseRfc4180 } from '../../../support/rfc4180.ts'
import { flatten, type NestedReport } from '../../files/flatten.ts'
import { withoutFormulas } from '../../files/without-formulas.ts'
import { sample, store, TestPlant } from '../plant-support.ts'
import { productionReport } from '../../../../api/reports/production.ts'
import { planOf, sourcesFor } from '../stages.ts'
import { wholeBody } from '../whole-body.ts'

const hour = 3_600_000
const midnight = Date.parse('2026-03-02T00:00:00.000Z')
const range = { start: '2026-03-02T00:00:00Z', end: '2026-03-02T12:00:00Z' }
const data = ['allTime', 'timeInCycle', 'utilizationRate', 'oee', 'minStartTime'].map(metric => ({ metric }))
const by = (...groups: readonly string[]) => ({ data, groupBy: groups.map(group => ({ group })) })

for (const kind of ['embedded', 'front'] as const satisfies readonly StoreKind[]) {
  describe(`the file of a production report, the store ${kind}`, () => {
    const database = useFreshDatabase(kind)
    let folder: string
    let files: Files

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'takt-report-file-'))
    })
    afterEach(() => {
      files.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    /** Two machines with unusual names in three shifts, the last of which was deleted from its schedule; in cycle for a third of the time. */
    async function fill(into: Store) {
      const plant = new TestPlant({ timeZone: 'UTC' })
      const shifts = [0, 4, 8].map((at, i) => ({
        id: `shift-${i}`,
        ref: i + 1,
        name: `Shift ${i}`,
        optional: false,
        days: [1, 2, 3, 4, 5, 6, 7],
        start: `0${at}:00`,
        end: `${String(at + 3).padStart(2, '0')}:00`,
      }))
      const schedule = { id: 'schedule', companyId: plant.company.id, name: 'Shifts', exceptions: [] }
      plant.put('schedule', { ...schedule, versions: [{ effectiveFrom: null, shifts }] })
      const machines = ['=Mill "1", big', 'Lathe\n=2; @x \ud800'].map((name, i) =>
        plant.machine(100 * plant.company.ref + i, { name, scheduleId: 'schedule', commissionedAt: range.start }),
      )
      const documents = machines.flatMap(machine => {
        const samples = [
          sample(machine, midnight, 'EXECUTION', 'ACTIVE'),
          sample(machine, midnight + 4 * hour, 'EXECUTION', 'READY'),
        ]
        return plant.documents(machine, samples, midnight, midnight + 13 * hour)
      })
      await store(into, documents)
      plant.put('schedule', { ...schedule, versions: [{ effectiveFrom: null, shifts: shifts.slice(0, 2) }] })
      return { plant, documents }
    }

    const reportsOf = (plant: TestPlant, through: Store) => {
      const options = { folder: join(folder, 'exports'), lifetimeMs: hour, clock: Date.now }
      files = openFiles({ ...options, store: through, logger: pino({ level: 'silent' }) })
      return plant.reports(through, () => midnight + 13 * hour, { files })
    }

    async function make(plant: TestPlant, through: Store, body: object) {
      const asked = { ...range, csv: true, ...body }
      const answer = wholeBody(await reportsOf(plant, through).production(plant.company.id, asked))
      const path = join(folder, 'exports', answer.csv?.url.split('/').at(-1) ?? '', 'data')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a report that is not flattened
      return { nested: answer as unknown as NestedReport, path }
    }

    async function expectSameRows(plant: TestPlant, through: Store, body: object): Promise<string[][]> {
      const { nested, path } = await make(plant, through, body)
      const [header = [], ...lines] = parseRfc4180(readFileSync(path, 'utf8'))
      const cells = flatten(nested).map(row => header.map(name => cellOf(row[name] ?? null)))
      expect(lines).to.deep.equal(cells)
      return lines
    }

    const left = () =>
      database().query({
        parts: ['SELECT export FROM export_sums UNION ALL SELECT export FROM export_names'],
      })

    it('A report file has the rows of the flattened report, with quotes where CSV needs them', async () => {
      const { plant } = await fill(database())
      const lines = await expectSameRows(plant, database(), by('machine', 'hour'))
      expect(lines).to.have.length(24)
      expect(lines[0]?.slice(0, 2)).to.deep.equal([`'=Mill "1", big`, plant.records.machines(plant.company.id)[0]?.id])
      expect(await left()).to.deep.equal([])
    })

    it('In a report file, the rows of a deleted shift and of no shift are added up', async () => {
      const { plant } = await fill(database())
      const lines = await expectSameRows(plant, database(), by('shift', 'machine'))
      expect(lines.map(([shift, id]) => [shift, id])).to.deep.equal([
        ['No Shift', ''],
        ['No Shift', ''],
        ['Shift 0', 'shift-0'],
        ['Shift 0', 'shift-0'],
        ['Shift 1', 'shift-1'],
        ['Shift 1', 'shift-1'],
      ])
    })

    it('A report file without grouping has one row, and one without results has only its header', async () => {
      const { plant } = await fill(database())
      const header = data.map(({ metric }) => metric).join(',')
      const whole = await make(plant, database(), by())
      const { aggregate } = whole.nested
      const values = data.map(({ metric }) => cellOf(aggregate[metric] ?? null)).join(',')
      expect(readFileSync(whole.path, 'utf8')).to.equal(`${header}\r\n${values}\r\n`)
      expect(aggregate['allTime']).to.equal(24 * hour)
      const nothing = await make(plant, database(), { ...by('machine'), filter: { machine: ['nobody'] } })
      expect(readFileSync(nothing.path, 'utf8')).to.equal(`machine,machineId,${header}\r\n`)
      const noRow = await make(plant, database(), { ...by(), filter: { machine: ['nobody'] } })
      expect(readFileSync(noRow.path, 'utf8')).to.equal(`${header}\r\n0,0,,,\r\n`)
    })

    it('The rows of a workbook are stored with unchanged names, and need no `csv` in the request', async () => {
      const { plant } = await fill(database())
      const { path } = await make(plant, database(), { ...by('machine'), csv: undefined, format: 'xlsx' })
      const csv = await make(plant, database(), by('machine'))
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      const rows: (string | number | null)[][] = JSON.parse(`[${lines.join(',')}]`)
      const texts = rows.map(row => row.map(cellOf))
      expect(texts).to.deep.equal(parseRfc4180(readFileSync(csv.path, 'utf8')).slice(1))
      expect(rows.map(([name]) => name).join()).to.match(/(^|,)[=+@-]/)
    })

    it('A Parquet file has typed columns, and needs no `csv` in the request', async () => {
      const { plant } = await fill(database())
      const body = {
        ...by('machine', 'day', 'hour', 'jobOperation', 'jobOperationRun'),
        csv: undefined,
        format: 'parquet',
      }
      const { path } = await make(plant, database(), body)
      const described = await database().query<{ readonly name: string; readonly type: string }>({
        parts: [`DESCRIBE file('${path}', Parquet)`],
      })
      const types = Object.fromEntries(described.map(({ name, type }) => [name, type]))
      const instant = `Nullable(DateTime64(3, 'UTC'))`
      expect(types).to.deep.equal({
        machine: 'Nullable(String)',
        machineId: 'Nullable(String)',
        day: 'Nullable(Date32)',
        dayId: 'Nullable(Int64)',
        dayStart: instant,
        dayEnd: instant,
        hour: instant,
        hourId: 'Nullable(Int64)',
        hourStart: instant,
        hourEnd: instant,
        jobOperation: 'Nullable(String)',
        jobOperationId: 'Nullable(String)',
        jobOperationJobName: 'Nullable(String)',
        jobOperationLotName: 'Nullable(String)',
        jobOperationOperationName: 'Nullable(String)',
        jobOperationPartName: 'Nullable(String)',
        jobOperationRun: 'Nullable(String)',
        jobOperationRunId: 'Nullable(String)',
        jobOperationRunStartAt: instant,
        jobOperationRunEndAt: instant,
        allTime: 'Nullable(Float64)',
        timeInCycle: 'Nullable(Float64)',
        utilizationRate: 'Nullable(Float64)',
        oee: 'Nullable(Float64)',
        minStartTime: instant,
      })
    })

    it('A report file equals the response of its report, even if hours are rewritten during the report', async () => {
      const { plant, documents } = await fill(database())
      const changing: Store = {
        ...database(),
        numbers: async (...args) => {
          await store(database(), documents.map(idle), 2n)
          return database().numbers(...args)
        },
        writeFile: async (...args) => {
          await store(database(), documents.map(idle), 3n)
          return database().writeFile(...args)
        },
      }
      const lines = await expectSameRows(plant, changing, by('machine'))
      expect(lines[0]?.slice(2, 4)).to.deep.equal([String(12 * hour), String(4 * hour)])
      const [after = []] = await expectSameRows(plant, database(), by('machine'))
      expect(after.slice(2, 4)).to.deep.equal([String(12 * hour), '0'])
    })

    it('A report file whose client disconnects during a query leaves no file and no rows', async () => {
      const { plant } = await fill(database())
      const abort = new AbortController()
      const slow: Store = {
        ...database(),
        command: async (query, options) => {
          const isKeeping = render(query).query.includes('INSERT INTO export_sums')
          const done = database().command(query, options)
          if (isKeeping) setImmediate(() => abort.abort())
          return done
        },
      }
      const asked = { ...range, csv: true, ...by('machine') }
      const { signal } = abort
      const made = reportsOf(plant, slow).production(plant.company.id, asked, { signal })
      const failure: unknown = await made.catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Error)
      await setTimeout(500) // for work that would continue after the abort
      expect(await left()).to.deep.equal([])
    })

    it('A report file with more rows than the query limit is rejected and leaves no rows', async () => {
      const { plant } = await fill(database())
      const body = { ...range, csv: true, ...by('machine', 'hour') }
      const plan = planOf(plant, body, midnight + 13 * hour)
      const ask = (mostRows: number) =>
        createSnapshot(plan, productionReport.compile(plan, sourcesFor(plan)), {
          store: database(),
          options: { settings: { max_result_rows: mostRows } },
        })
      const snapshot = await ask(24)
      await snapshot.drop()
      const refused: unknown = await ask(23).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(ApiError).and.to.include({ status: 400 })
      expect(await left()).to.deep.equal([])
    })

    it('A report file whose write or read fails leaves no file and no rows', async () => {
      const { plant } = await fill(database())
      const failing = () => Promise.reject(new Error('the store is gone'))
      for (const through of [
        { ...database(), writeFile: failing },
        { ...database(), numbers: failing },
        { ...database(), insert: failing },
      ]) {
        for (const format of fileFormats) {
          const failure: unknown = await make(plant, through, { ...by('machine'), format }).catch(
            (error: unknown) => error,
          )
          expect(String(failure)).to.include('the store is gone')
          expect(readdirSync(join(folder, 'exports'))).to.deep.equal([])
          expect(await left()).to.deep.equal([])
        }
      }
    })
  })
}

/** Copies an hourly document, without any time in cycle. */
function idle(document: HourDocument): HourDocument {
  return { ...document, facts: document.facts.map(fact => ({ ...fact, inCycleMs: 0 })) }
}

function cellOf(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const text = value.replace(/\p{Surrogate}/gu, '\uFFFD')
  return withoutFormulas(text)
}
