import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { machineRef, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { samples } from '../tables/samples.ts'
import { sampledWithin } from './within.ts'

/**
 * Reads the first and last sample of each UTC minute in [fromMs, toMs), by machine and time. Unlike the minutes in which
 * machines were seen, they contain no heartbeats, and only times for which raw samples are kept. Rejects with a
 * `StoreError`.
 */
export function readActivity(
  store: Pick<Store, 'queryColumns'>,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
  options: QueryOptions,
): Promise<readonly ActivityMinute[]> {
  const query = sql`
    SELECT machine AS machineRef, intDiv(min(at_us), 1000) AS firstMs, intDiv(max(at_us), 1000) AS lastMs
    ${from(samples, companyRef, { where: [ofMachines(machines), sampledWithin(fromMs, toMs)] })}
    GROUP BY machine, intDiv(at_us, 60000000)
    ORDER BY machine, firstMs`
  return rows(store, query, { machineRef, firstMs: wide, lastMs: wide }, options)
}
