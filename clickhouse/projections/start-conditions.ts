import { recordIntervalMs } from '../../schema/records/timed-records.ts'
import { int64, literalInteger, type Sql, sql } from '../sql/sql.ts'

/**
 * Conditions: a record starts in [fromMs, toMs), UTC ms, each of which may be infinite. Those on the month select granules:
 * for a condition on `start_ms`, the store does not use the month in the sorting key.
 */
export function startsIn(fromMs: number, toMs: number): readonly Sql[] {
  const monthOf = (ms: number) => int64(Math.trunc(ms / recordIntervalMs))
  return [
    ...(fromMs === -Infinity ? [] : [sql`${month} >= ${monthOf(fromMs)}`, sql`start_ms >= ${int64(fromMs)}`]),
    ...(toMs === Infinity ? [] : [sql`${month} <= ${monthOf(toMs - 1)}`, sql`start_ms < ${int64(toMs)}`]),
  ]
}

/** Month in the sorting key of the tables of records with a time. */
export const month = sql`intDiv(start_ms, ${literalInteger(recordIntervalMs)})`

/** Condition: a record starts when a row of another table does, which has the column `start_ms` too. */
export function startsWith(rowsOfOther: Sql): Sql {
  return sql`(${month}, start_ms) IN (SELECT ${month}, start_ms ${rowsOfOther})`
}
