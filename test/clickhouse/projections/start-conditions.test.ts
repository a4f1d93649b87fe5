import { expect } from 'chai'
import * as fc from 'fast-check'
import { wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { startsIn, startsWith } from '../../../clickhouse/projections/start-conditions.ts'
import { array, int64, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { whereAll } from '../../../clickhouse/tables/from.ts'
import { recordIntervalMs } from '../../../schema/records/timed-records.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { forAll } from '../../support/for-all.ts'

/** Instants at the bounds of months, also before 1970. */
const anyStart = fc
  .tuple(fc.integer({ min: -2, max: 3 }), fc.integer({ min: -2, max: 2 }))
  .map(([month, ms]) => month * recordIntervalMs + ms)
const anyStarts = fc.array(anyStart, { minLength: 1, maxLength: 30 })

describe('conditions on the start of records', () => {
  const store = useFreshDatabase()

  async function select(starts: readonly number[], conditions: readonly Sql[]): Promise<readonly number[]> {
    const query = sql`SELECT start_ms ${fromStarts(starts)} ${whereAll(conditions)}`
    return (await rows(store(), query, { start_ms: wide })).map(row => row.start_ms)
  }

  it('Records that start in a range are those whose start is in it', () =>
    forAll(
      fc.asyncProperty(
        anyStarts,
        fc.option(anyStart, { nil: -Infinity }),
        fc.option(anyStart, { nil: Infinity }),
        async (starts, fromMs, toMs) => {
          const expected = starts.filter(start => start >= fromMs && start < toMs)
          expect(await select(starts, startsIn(fromMs, toMs))).to.deep.equal(expected)
        },
      ),
      { numRuns: 200 },
    ))

  it('Records that start when rows of another table do are those with an equal start', () =>
    forAll(
      fc.asyncProperty(anyStarts, anyStarts, async (starts, others) => {
        const expected = starts.filter(start => others.includes(start))
        expect(await select(starts, [startsWith(fromStarts(others))])).to.deep.equal(expected)
      }),
      { numRuns: 100 },
    ))
})

function fromStarts(starts: readonly number[]): Sql {
  return sql`FROM (SELECT arrayJoin(${array(int64, starts)}) AS start_ms)`
}
