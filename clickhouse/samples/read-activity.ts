import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { machineRef, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, StoreReads } from '../client/store.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { latestValues, samples } from '../tables/samples.ts'
import { sampledWithin } from './within.ts'

/**
 * Reads the first and last sample of each UTC minute in [fromMs, toMs), by machine and time. Unlike the minutes in which
 * machines were seen, they contain no heartbeats, and only times for which raw samples are kept. Rejects with a
 * `StoreError`.
 */
export function readActivity(
  store: StoreReads,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  fromMs: number,
  toMs: number,
  options: QueryOptions,
): Promise<readonly ActivityMinute[]> {
  return readMinutes(store, companyRef, [ofMachines(machines), sampledWithin(fromMs, toMs)], options)
}

/** Reads the activity after an instant, UTC ms, as `readActivity` does; few machines have any after the clock. */
export function readActivityAfter(
  store: StoreReads,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  afterMs: number,
  options: QueryOptions,
): Promise<readonly ActivityMinute[]> {
  const after = sampledWithin(afterMs + 1, Infinity)
  // The newest values are few: the raw samples of the other machines are not searched.
  const machinesAfter = sql`SELECT machine ${from(latestValues, companyRef, { where: [ofMachines(machines), after] })}`
  return readMinutes(store, companyRef, [sql`machine IN (${machinesAfter})`, after], options)
}

function readMinutes(
  store: StoreReads,
  companyRef: CompanyRef,
  where: readonly Sql[],
  options: QueryOptions,
): Promise<readonly ActivityMinute[]> {
  const query = sql`
    SELECT machine AS machineRef, intDiv(min(at_us), 1000) AS firstMs, intDiv(max(at_us), 1000) AS lastMs
    ${from(samples, companyRef, { where })}
    GROUP BY machine, intDiv(at_us, 60000000)
    ORDER BY machine, firstMs`
  return rows(store, query, { machineRef, firstMs: wide, lastMs: wide }, options)
}
