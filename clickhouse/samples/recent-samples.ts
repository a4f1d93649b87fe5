import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import { columns } from '../client/rows.ts'
import type { StoreReads } from '../client/store.ts'
import { sql, uint64 } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { samples } from '../tables/samples.ts'
import { sampleColumnsSql, sampleShape, toSamples } from './sample-rows.ts'
import { sampledWithin } from './within.ts'

/** A machine and a range of time, [fromMs, toMs), UTC ms. */
interface Range {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly fromMs: number
  readonly toMs: number
}

/** Reads the newest samples of a machine in a range, each once, by time; at most `limit`. Rejects with a `StoreError`. */
export async function readRecentSamples(
  store: StoreReads,
  { companyRef, machineRef, fromMs, toMs }: Range,
  limit: number,
): Promise<readonly Sample[]> {
  const where = [ofMachines([machineRef]), sampledWithin(fromMs, toMs)]
  const query = sql`
    SELECT DISTINCT ${sampleColumnsSql} ${from(samples, companyRef, { where })}
    ORDER BY at_us DESC LIMIT ${uint64(limit)}`
  return toSamples(await columns(store, query, sampleShape)).toReversed()
}
