import type { NumberColumn } from '../../../clickhouse/client/native.ts'

/** The answer of the store: one column per key, then what the report asks for; all are empty where there are no rows. */
export type Columns = readonly NumberColumn[]
/** A ref (0: none), the start of a cell in UTC seconds, or the refs of operators. */
export type KeyValue = number | readonly number[]

/** Keys that can tell the rows of a report apart, in the order of the answer's columns; each is the column `k_<name>`. */
export const allKeys = [
  ...(['cell', 'machine', 'shift', 'run', 'operation', 'operators'] as const),
  ...(['reason', 'state', 'nativeCode'] as const),
] as const
export type KeyName = (typeof allKeys)[number]
