import { expect } from 'chai'
import { fromNewestRuns } from '../../../clickhouse/projections/newest-runs.ts'
import { int64, sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import { useFreshDatabase } from '../../support/database.ts'

const runs = 50_000
/** Every run lasts this long, ms. */
const lengthMs = 1_000

describe('newest job runs that match conditions', () => {
  const store = useFreshDatabase()

  /** Inserts each `every`-th run with an operation. Run n lasts from n to n + 1 s. */
  async function insert(operation: number, version: number, every: number, deleted = 0): Promise<void> {
    await store().command(sql`
      INSERT INTO job_runs (company, run, operation, start_ms, end_ms, until_ms, version, deleted)
      SELECT 1, toUInt32(number * ${uint32(every)} + 1), ${uint32(operation)}, run * ${int64(lengthMs)} AS start_ms,
        start_ms + ${int64(lengthMs)}, start_ms + ${int64(lengthMs)}, ${uint32(version)}, ${uint32(deleted)}
      FROM (SELECT number, toInt64(number * ${uint32(every)} + 1) AS run FROM numbers(${uint32(runs / every)}))`)
  }

  before(async () => {
    await insert(7, 1, 1)
    await insert(8, 2, 5_000)
    await insert(8, 3, 25_000, 1)
  })

  async function count(where: Parameters<typeof fromNewestRuns>[1], maxRowsRead = 0): Promise<number> {
    const settings = { max_rows_to_read: maxRowsRead }
    const query = sql`SELECT toInt32(count()) AS count ${fromNewestRuns(asCompanyRef(1), where)}`
    return Number((await store().query<{ count: number }>(query, { settings }))[0]?.count)
  }

  it('A run whose newest row does not match, or is deleted, is not found', async () => {
    expect(await count([sql`operation = 8`])).to.equal(8)
    expect(await count([sql`operation = 7`])).to.equal(runs - 10)
  })

  it('Runs of a short time are found in few rows, although a change of an operation wrote runs of all times', async () => {
    const fromMs = 20_000 * lengthMs
    const inRange = [sql`start_ms >= ${int64(fromMs)}`, sql`start_ms < ${int64(fromMs + 100 * lengthMs)}`]
    expect(await count(inRange, runs / 5)).to.equal(100)
  })
})
