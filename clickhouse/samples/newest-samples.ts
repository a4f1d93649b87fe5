import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'
import { machineRef, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { StoreReads } from '../client/store.ts'
import { int64, sql } from '../sql/sql.ts'
import { from, ofMachines } from '../tables/from.ts'
import { latestValues, samples } from '../tables/samples.ts'
import { sampledWithin } from './within.ts'

/** Times before `toMs` that are searched for the newest sample of a machine with future-dated samples, the shortest first. */
const lookBacksMs = [hourMs, dayMs, 31 * dayMs] as const

/**
 * Reads the newest sample of each machine up to an instant, both in UTC ms; machines without one are missing. It reads
 * the newest value of each metric. Metrics with future-dated samples hide their earlier ones: for their machines it
 * reads the samples of the last 31 days. Rejects with a `StoreError`.
 */
export async function readNewestSamples(
  store: StoreReads,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
  toMs: number,
): Promise<ReadonlyMap<MachineRef, number>> {
  if (machines.length === 0) return new Map()
  const toUs = int64(toMs * 1000 + 999)
  const query = sql`
    SELECT machine AS machineRef, intDiv(maxIf(at_us, at_us <= ${toUs}), 1000) AS newestMs,
      toInt64(countIf(at_us <= ${toUs})) AS known, toInt64(countIf(at_us > ${toUs})) AS ahead
    ${from(latestValues, companyRef, { where: [ofMachines(machines)] })}
    GROUP BY machine`
  const found = await rows(store, query, { machineRef, newestMs: wide, known: wide, ahead: wide }, ofPipeline)
  const newest = new Map(found.filter(({ known }) => known > 0).map(each => [each.machineRef, each.newestMs]))
  let hidden = found.filter(({ ahead }) => ahead > 0).map(each => each.machineRef)
  for (const lookBackMs of lookBacksMs) {
    if (hidden.length === 0) break
    const where = [ofMachines(hidden), sampledWithin(toMs - lookBackMs, toMs + 1)]
    const search = sql`
      SELECT machine AS machineRef, intDiv(max(at_us), 1000) AS newestMs ${from(samples, companyRef, { where })}
      GROUP BY machine`
    const past = new Map(
      (await rows(store, search, { machineRef, newestMs: wide }, ofPipeline)).map(each => [
        each.machineRef,
        each.newestMs,
      ]),
    )
    for (const [ref, ms] of past) newest.set(ref, Math.max(ms, newest.get(ref) ?? ms))
    hidden = hidden.filter(ref => !past.has(ref))
  }
  return newest
}
