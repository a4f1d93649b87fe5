import type { NumberColumn } from '../../../clickhouse/client/native.ts'
import type { Sql } from '../../../clickhouse/sql/sql.ts'

/** Columns of a result: one per key, then those of the report; all are empty without rows. */
export type Columns = readonly NumberColumn[]
/** A ref (0: none), the start of a cell in UTC seconds, or the refs of operators. */
export type KeyValue = number | readonly number[]

/** Keys that can group the rows of a report, in the order of the result's columns; each is the column `k_<name>`. */
export const allKeys = [
  ...(['cell', 'machine', 'shift', 'run', 'operation', 'operators'] as const),
  ...(['reason', 'state', 'nativeCode'] as const),
] as const
export type KeyName = (typeof allKeys)[number]

/** A compiled plan. */
export interface Query {
  readonly sql: Sql
  /** Names of the columns of the result, in its order: numbers, or arrays of refs. */
  readonly columns: readonly string[]
}

/** Names of the columns of a result: its keys, then the others. */
export function resultColumns(keys: readonly KeyName[], ...others: readonly string[]): readonly string[] {
  return [...keys.map(name => `k_${name}`), ...others]
}
