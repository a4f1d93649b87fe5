import type { NumberColumn } from '../../../clickhouse/client/native.ts'

/**
 * The shares of events as rows of their own. An answer has one row for events that are alike; one that lies in several places (days,
 * shifts) has a share in each of them, and counts once in each and once above them.
 */
export interface EventShares {
  readonly count: number
  /** By share: the row of the answer that it belongs to. Those of one row follow one another. */
  readonly rows: Int32Array
  /** By share: whether it is the first of its row. */
  isFirst(share: number): boolean
}

/** As many shares as said for each row. */
export function sharesOf(rowCount: number, countOf: (row: number) => number): EventShares {
  let count = 0
  for (let row = 0; row < rowCount; row++) count += countOf(row)
  const rows = new Int32Array(count)
  let to = 0
  for (let row = 0; row < rowCount; row++) {
    const end = to + countOf(row)
    rows.fill(row, to, end)
    to = end
  }
  return { count, rows, isFirst: share => share === 0 || rows[share] !== rows[share - 1] }
}

/** A column of an answer's rows as one of their shares. */
export function ofShares(column: NumberColumn | undefined, { rows }: EventShares): Float64Array {
  const values = new Float64Array(rows.length)
  for (let share = 0; share < rows.length; share++) values[share] = numberAt(column, rows[share] ?? 0)
  return values
}

/** A number of a column; 0 without the column. */
export function numberAt(column: NumberColumn | readonly number[] | undefined, row: number): number {
  const value = column?.[row]
  return typeof value === 'number' ? value : 0
}
