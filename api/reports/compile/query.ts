import type { Sql } from '../../../clickhouse/sql/sql.ts'
import type { KeyName } from '../ask/columns.ts'

/** A plan's last form. */
export interface Query {
  readonly sql: Sql
  /** Names of the columns of the answer, in its order: numbers, or lists of refs. */
  readonly columns: readonly string[]
}

/** Names of the columns of an answer: its keys, then the others. */
export function answerColumns(keys: readonly KeyName[], ...others: readonly string[]): readonly string[] {
  return [...keys.map(name => `k_${name}`), ...others]
}
