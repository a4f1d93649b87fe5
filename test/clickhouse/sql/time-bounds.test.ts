import { expect } from 'chai'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { within } from '../../../clickhouse/sql/time-bounds.ts'
import { useFreshDatabase } from '../../support/database.ts'

describe('within', () => {
  const database = useFreshDatabase()
  const noonMs = Date.parse('2026-03-02T12:00:00.000Z')

  /** Returns which of ten rows, one for each second after noon, the range contains. */
  async function found(fromMs: number, toMs: number): Promise<unknown> {
    const condition = within(sql`at`, noonMs + fromMs, noonMs + toMs)
    const [seconds] = await database().columns(sql`
      SELECT toUInt8(number) FROM (SELECT number, toDateTime('2026-03-02 12:00:00', 'UTC') + number AS at FROM numbers(10))
      WHERE ${condition} ORDER BY number`)
    return seconds
  }

  it('`within` includes its start and excludes its end, to the millisecond', async () => {
    expect(await found(2000, 4000)).to.deep.equal([2, 3])
    expect(await found(2001, 4000)).to.deep.equal([3])
    expect(await found(2000, 4001)).to.deep.equal([2, 3, 4])
    expect(await found(1999, 3999)).to.deep.equal([2, 3])
    expect(await found(-Infinity, Infinity)).to.have.length(10)
  })
})
