import { wide } from '../client/kinds.ts'
import { firstRow } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { type CompanyIdTable, fromAll } from '../tables/from.ts'

/**
 * Reads the highest `commandOffset` of any row of a projection's table; -1: it has none. The store must have its tables. Rejects with a
 * `StoreError`.
 */
export async function readHighestOffset(
  store: Store,
  table: CompanyIdTable,
  options: Pick<QueryOptions, 'signal'> = {},
): Promise<number> {
  const query = sql`SELECT max(toInt64(command_offset)) AS last ${fromAll(table, 'how far a projection is')} HAVING count() > 0`
  return (await firstRow(store, query, { last: wide }, { workload: 'process', ...options }))?.last ?? -1
}
