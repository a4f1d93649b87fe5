import { second, sql } from './sql.ts'
import type { Sql } from './sql.ts'

/** Instants that a `DateTime` column can hold: 1970 to 2106. */
const lastMs = (2 ** 32 - 1) * 1000

/** Limits a bound of a range (also 0 and Infinity) to instants that columns can have. */
export function columnBound(ms: number): number {
  return Math.min(Math.max(ms, 0), lastMs)
}

/**
 * Condition for a UTC `DateTime` column in [fromMs, toMs) of a table whose order contains the date of the column before the column. It
 * includes the date: the engine does not derive it, and would read every day of a month.
 */
export function within(column: Sql, fromMs: number, toMs: number): Sql {
  // A whole second is at or after an instant when it is at or after the next whole second.
  const [from, to] = [second(columnBound(nextSecond(fromMs))), second(columnBound(nextSecond(toMs)))]
  return sql`${column} >= ${from} AND ${column} < ${to} AND toDate(${column}) BETWEEN toDate(${from}) AND toDate(${to})`
}

function nextSecond(ms: number): number {
  return Math.ceil(ms / 1000) * 1000
}
