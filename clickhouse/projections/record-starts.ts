import type { MachineStarts, StartsFilter } from '../../schema/records/timed-records.ts'
import { storedText, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { int64, type Sql, sql } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { machineRuns, operatorRunsByMachine, partAdjustmentsByMachine } from '../tables/record-kinds.ts'

/**
 * Reads the first and the last start of the records of each machine of a company that match, or that matched before a
 * change. Reads all of the company's records of the kind. Rejects with a `StoreError`.
 */
export async function readStarts(
  store: StoreReads,
  companyId: string,
  filter: StartsFilter,
  options: QueryOptions,
): Promise<readonly MachineStarts[]> {
  const query = sql`
    SELECT machine_id AS machineId, min(start_ms) AS firstMs, max(start_ms) AS lastMs
    ${matching(companyId, filter)} GROUP BY machine_id`
  return rows(store, query, { machineId: storedText, firstMs: wide, lastMs: wide }, options)
}

function matching(companyId: string, filter: StartsFilter): Sql {
  switch (filter.kind) {
    case 'setupRuns':
      return from(machineRuns, companyId, { where: [sql`in_setup = 1`] })
    case 'longSignIns': {
      const isLong = sql`end_ms IS NULL OR end_ms - start_ms > ${int64(filter.longerThanMs)}`
      return from(operatorRunsByMachine, companyId, { where: [isLong] })
    }
    case 'adjustments':
      return from(partAdjustmentsByMachine, companyId, { where: [sql`category = ${int64(filter.categoryId)}`] })
  }
}
