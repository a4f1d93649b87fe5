import { sql } from '../sql/sql.ts'
import type { Store } from './store.ts'

/** A table, and the number of its damaged parts. */
export interface DamagedParts {
  readonly table: string
  readonly parts: number
}

/**
 * Returns the tables with damaged parts that the engine has moved to their folder `detached`. It does so at a start,
 * without an error.
 */
export async function readDamagedParts(store: Pick<Store, 'query'>): Promise<readonly DamagedParts[]> {
  return store.query(
    sql`SELECT table, toUInt32(count()) AS parts FROM system.detached_parts
        WHERE database = currentDatabase() AND reason = 'broken-on-start' GROUP BY table ORDER BY table`,
    { workload: 'process' },
  )
}
