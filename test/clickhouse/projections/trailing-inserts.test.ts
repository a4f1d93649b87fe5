import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Store, StoreError } from '../../../clickhouse/client/store.ts'
import { createAuditProjection } from '../../../clickhouse/projections/audit.ts'
import { readAfterWrite } from '../../../clickhouse/projections/read-after-write.ts'
import { createStoredRecords } from '../../../clickhouse/projections/stored-records.ts'
import { projectRecords } from '../../support/project-records.ts'
import { TrailingInserts, type TrailingOptions } from '../../../clickhouse/projections/trailing-inserts.ts'
import { sql, str } from '../../../clickhouse/sql/sql.ts'
import { hours } from '../../../clickhouse/tables/documents.ts'
import { from, fromShared } from '../../../clickhouse/tables/from.ts'
import { machineRuns } from '../../../clickhouse/tables/record-kinds.ts'
import { credentials, jobRuns } from '../../../clickhouse/tables/records.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { retry } from '../../../shared/async/retry.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import { Plant } from '../../processors/registrar/plant.ts'
import { useFreshDatabase } from '../../support/database.ts'

/** A linger time that is longer than a test. */
const farMs = 60_000

describe('TrailingInserts', () => {
  const store = useFreshDatabase()
  let plant: Plant
  let tables: string[]
  let isAway: boolean
  let failures: unknown[]
  /** Inserts after the first one wait for this promise. */
  let held: Promise<void>
  const stops: (() => Promise<void>)[] = []

  /** The store of the test, which records its inserts and can be made to fail. */
  const inserts: Pick<Store, 'insert'> = {
    insert: async (table, ...rest) => {
      if (isAway) throw new Error('The disk is full')
      if (tables.push(table) > 1) await held
      await store().insert(table, ...rest)
    },
  }

  beforeEach(async () => {
    for (const table of ['records', 'audit', 'credentials'])
      await store().command({ parts: [`TRUNCATE TABLE ${table}`] })
    plant = new Plant()
    tables = []
    failures = []
    isAway = false
    held = Promise.resolve()
  })
  afterEach(async () => {
    isAway = false
    for (const stop of stops.splice(0)) await stop()
  })

  function trailing(options: Partial<TrailingOptions> = {}): TrailingInserts {
    const onFailure = (error: unknown) => void failures.push(error)
    const made = new TrailingInserts(inserts, { lingerMs: farMs, backOffMs: 5, onFailure, ...options })
    stops.push(() => made.stop())
    return made
  }

  const into = (rows: TrailingInserts): Store => ({ ...store(), insert: (...row) => rows.insert(...row) })

  /** Projects all entries of the plant in order. */
  async function project(rows: TrailingInserts): Promise<void> {
    for (const entry of plant.entries) {
      await createAuditProjection(into(rows)).project([entry], plant.records)
      await projectRecords(into(rows), [entry])
    }
  }

  const isEmpty = async (table: string) => (await store().query({ parts: [`SELECT 1 FROM ${table}`] })).length === 0

  it('A reader finds pending rows: each table gets one insert, and `records` comes after its copies', async () => {
    const rows = trailing()
    plant.result('key.create', { name: 'ERP', scopes: [], hash: 'ab'.repeat(32) })
    plant.result('downtimeReason.put', { name: 'Tool' })
    await project(rows)
    expect(await isEmpty('records')).to.equal(true)
    const read = readAfterWrite(store(), rows)
    const kinds = await read.query<{ kind: string }>(
      sql`SELECT kind FROM records WHERE kind != 'projected' ORDER BY command_offset, kind`,
    )
    expect(kinds.map(({ kind }) => kind)).to.deep.equal(['company', 'key', 'downtimeReason'])
    expect(tables.toSorted()).to.deep.equal(['audit', 'credentials_in', 'records'])
    expect(tables.indexOf('credentials_in')).to.be.below(tables.indexOf('records'))
  })

  it('Pending rows are written after the linger time without a reader', async () => {
    await project(trailing({ lingerMs: 5 }))
    while (await isEmpty('records')) await sleep(5)
  })

  const waits = async (way: (read: Store) => Promise<unknown>) => {
    let isAsked = false
    const settled = () => {
      isAsked = true
      return Promise.reject(new Error('asked'))
    }
    await way(readAfterWrite(store(), { isBehind: true, settled })).catch(() => undefined)
    return isAsked
  }

  it('Every read method of the store waits for pending inserts', async () => {
    const one = sql`SELECT 1 FROM records`
    expect(await waits(read => read.query(one))).to.equal(true)
    expect(await waits(read => read.queryColumns(one))).to.equal(true)
    expect(await waits(read => read.columns(one))).to.equal(true)
    expect(await waits(read => read.numbers(one, ['1']))).to.equal(true)
    expect(await waits(read => read.writeFile(one, 'Parquet', '/nowhere'))).to.equal(true)
    expect(await waits(read => read.command(one))).to.equal(true)
    expect(await waits(read => read.stream(one, 'CSV')[Symbol.asyncIterator]().next())).to.equal(true)
  })

  it('Only reads of tables with pending inserts wait for them', async () => {
    const company = 'c'
    const ofRecords = [
      from(machineRuns, company, { final: true }),
      from(jobRuns, asCompanyRef(1)),
      fromShared(credentials),
      sql`FROM numbers(3) WHERE number IN (SELECT ref FROM records)`,
    ]
    for (const clause of ofRecords) expect(await waits(read => read.query(sql`SELECT 1 ${clause}`))).to.equal(true)
    const others = [from(hours, asCompanyRef(1)), sql`FROM numbers(3) WHERE toString(number) = ${str('records')}`]
    for (const clause of others) expect(await waits(read => read.query(sql`SELECT 1 ${clause}`))).to.equal(false)
  })

  it('Pending rows are incomplete until the registrar has restored missing rows at take-over', async () => {
    const rows = trailing()
    rows.startTakeover()
    let isRead = false
    const read = rows.settled().then(() => (isRead = true))
    await sleep(20)
    expect(isRead).to.equal(false)
    await project(rows)
    rows.endTakeover()
    await read
    expect(await isEmpty('records')).to.equal(false)
  })

  it('A read of the registrar finds accepted rows during a takeover', async () => {
    const rows = trailing()
    rows.startTakeover()
    await project(rows)
    const found = await readAfterWrite(store(), rows.accepted).query(sql`SELECT 1 FROM records`)
    expect(found).to.not.be.empty
  })

  it('While the store is unavailable, reads time out and inserts beyond the limit fail; later the rows are written', async () => {
    const rows = trailing({ lingerMs: 1, readWithinMs: 30 })
    isAway = true
    await project(rows)
    const [late, given] = await Promise.allSettled([rows.settled(), rows.settled(AbortSignal.timeout(1))])
    if (late.status === 'fulfilled' || given.status === 'fulfilled') throw new Error('The read did not time out')
    expect(late.reason).to.be.instanceOf(StoreError).and.include({ type: 'BEHIND', retryable: true })
    expect(given.reason).to.be.instanceOf(StoreError).and.include({ type: 'ABORTED' })
    const more = await Promise.allSettled([project(rows)])
    expect(String(more[0].status === 'rejected' && more[0].reason)).to.match(/The disk is full/)
    expect(failures).to.not.be.empty
    isAway = false
    await project(rows)
    await retry(() => rows.settled())
    expect((await createStoredRecords(store()).readPosition())?.commandOffset).to.equal(
      plant.entries.at(-1)?.commandOffset,
    )
  })

  const highestOffset = async () => {
    const [row] = await store().query<{ offset: number }>(
      sql`SELECT toInt32(max(command_offset)) AS offset FROM records HAVING count() > 0`,
    )
    return row?.offset ?? -1
  }
  const columns = ['company', 'kind', 'id', 'ref', 'json', 'deleted', 'command_offset']
  const lineOf = (chars: number, offset: number) =>
    JSON.stringify(['', 'x', String(offset), 0, 'y'.repeat(chars), 0, offset])

  it('An insert beyond the memory limit waits until the pending rows are written', async () => {
    const rows = trailing()
    for (let offset = 0; offset < 9; offset++) await rows.insert('records', columns, lineOf(950_000, offset))
    expect(tables).to.deep.equal([])
    await rows.insert('records', columns, lineOf(1, 9))
    expect(tables).to.deep.equal(['records'])
    expect(await highestOffset()).to.equal(8)
  })

  it('A very large insert is written after the pending rows, before its caller continues', async () => {
    const rows = trailing()
    const { promise, resolve } = deferred<undefined>()
    held = promise
    await rows.insert('records', columns, lineOf(1, 0))
    const large = rows.insert('records', columns, lineOf(2_000_000, 1))
    while (tables.length < 2) await sleep(1)
    await rows.settled()
    expect(await highestOffset()).to.equal(0)
    resolve(undefined)
    await large
    expect(tables).to.deep.equal(['records', 'records'])
    expect(await highestOffset()).to.equal(1)
  })

  it('Pending rows are written on stop, unless the store fails', async () => {
    const rows = trailing()
    await project(rows)
    await rows.stop()
    expect(await isEmpty('records')).to.equal(false)
    const others = trailing({ lingerMs: 1 })
    isAway = true
    await project(others)
    await others.stop()
  })
})
