import { second, sql } from './sql.ts'
import type { Sql } from './sql.ts'

/** Instants that a `DateTime` column can hold: 1970 to 2106. */
const lastMs = (2 ** 32 - 1) * 1000

/** A bound of a range, however far out it was given (0, Infinity), as an instant that columns can be compared with. */
export function columnBound(ms: number): number {
  return Math.min(Math.max(ms, 0), lastMs)
}

/**
 * Condition for a UTC `DateTime` column in [fromMs, toMs) of a table ordered by its date before anything else of it. The date is
 * said too: the engine doesn't derive it where the column itself comes later in the order, and would read every day of a month.
 */
export function within(column: Sql, fromMs: number, toMs: number): Sql {
  // A whole second is at or after an instant when it is at or after the next whole second.
  const [from, to] = [second(columnBound(nextSecond(fromMs))), second(columnBound(nextSecond(toMs)))]
  return sql`${column} >= ${from} AND ${column} < ${to} AND toDate(${column}) BETWEEN toDate(${from}) AND toDate(${to})`
}

function nextSecond(ms: number): number {
  return Math.ceil(ms / 1000) * 1000
}
