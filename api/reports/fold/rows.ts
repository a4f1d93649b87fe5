import type { NumberColumn } from '../../../clickhouse/client/native.ts'
import type { Combine } from '../../../schema/sums.ts'
import type { Columns, KeyName } from '../query/columns.ts'

/** The rows of an answer, column by column. */
export interface Rows<Name extends string = string> {
  readonly count: number
  /** Columns that identify the group of a row. */
  readonly keys: Readonly<Partial<Record<KeyName, NumberColumn>>>
  readonly sums: ReadonlyMap<Name, RowSum>
}

/** The values that rows add to a sum of their groups. */
export type RowSum =
  | { readonly how: Combine; readonly values: Float64Array }
  /** A value counts once in a group, however many rows with that number are in it; all of them have the same value. */
  | { readonly how: 'once'; readonly values: Float64Array; readonly numbers: Int32Array }

/** The rows of an answer whose columns are the keys, then the sums. */
export function rowsOf<Name extends string>(
  keys: readonly KeyName[],
  sums: readonly (readonly [name: Name, how: Combine])[],
  columns: Columns,
): Rows<Name> {
  const ofSums = sums.map(([name, how], i) => [name, { how, values: floats(columns[keys.length + i]) }] as const)
  return { count: columns[0]?.length ?? 0, keys: keysIn(keys, columns), sums: new Map(ofSums) }
}

/** The key columns of an answer, which come first in it. */
export function keysIn(names: readonly KeyName[], columns: Columns): Rows['keys'] {
  return Object.fromEntries(names.map((name, i) => [name, columns[i] ?? []]))
}

function floats(column: NumberColumn | undefined): Float64Array {
  if (column === undefined) return new Float64Array()
  if (column instanceof Float64Array) return column
  throw new TypeError('invariant: a sum is not a Float64')
}
