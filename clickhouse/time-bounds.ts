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
  const [from, to] = [second(columnBound(fromMs)), second(columnBound(toMs))]
  return sql`${column} >= ${from} AND ${column} < ${to} AND toDate(${column}) BETWEEN toDate(${from}) AND toDate(${to})`
}
