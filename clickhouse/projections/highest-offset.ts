import { wide } from '../client/kinds.ts'
import { firstRow } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { type CompanyIdTable, fromAll } from '../tables/from.ts'

/**
 * Reads the highest `commandOffset` in a projection's table; -1 if it is empty. The table must exist. Rejects with a
 * `StoreError`.
 */
export async function readHighestOffset(
  store: Store,
  table: CompanyIdTable,
  options: Pick<QueryOptions, 'signal'> = {},
): Promise<number> {
  const query = sql`SELECT max(toInt64(command_offset)) AS last ${fromAll(table, 'the progress of a projection concerns all companies')} HAVING count() > 0`
  return (await firstRow(store, query, { last: wide }, { workload: 'process', ...options }))?.last ?? -1
}
