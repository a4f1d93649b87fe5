import { int64, type Sql, sql } from '../sql/sql.ts'
import { columnBound } from '../sql/time-bounds.ts'

/** Condition: the sample is at or after `fromMs` and before `toMs` (UTC ms). */
export function sampledWithin(fromMs: number, toMs: number): Sql {
  return sql`at_us >= ${int64(columnBound(fromMs) * 1000)} AND at_us < ${int64(columnBound(toMs) * 1000)}`
}
