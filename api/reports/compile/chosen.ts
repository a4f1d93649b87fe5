import { sql, type Sql } from '../../../clickhouse/sql/sql.ts'
import type { Choice } from '../plan/filters.ts'

/** Conditions on a column of values that are chosen. */
export function chosen<T>(
  { only, not }: Choice<T>,
  column: Sql,
  values: (of: readonly T[]) => Parameters<typeof sql>[1],
): readonly Sql[] {
  return [
    ...(only ? [sql`${column} IN ${values(only)}`] : []),
    ...(not.length > 0 ? [sql`${column} NOT IN ${values(not)}`] : []),
  ]
}
