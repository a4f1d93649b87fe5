import type { Sql } from '../../../clickhouse/sql/sql.ts'

/** A plan's last form. */
export interface Query {
  readonly sql: Sql
  /** Names of the columns of the answer, in its order: numbers, or lists of refs. */
  readonly columns: readonly string[]
}
