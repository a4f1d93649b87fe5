import type { NumberColumn } from '../../clickhouse/client/native.ts'

/** The answer of the store: one column per key, then one per sum; none where there are no rows. */
export type Columns = readonly NumberColumn[]
/** A ref (0: none), the start of a cell in UTC seconds, or the refs of operators. */
export type KeyValue = number | readonly number[]
/** Names of the columns that tell rows apart, in the order of the answer; the plan's sums follow. */
export type KeyName = 'cell' | 'machine' | 'shift' | 'run' | 'operation' | 'operators'
