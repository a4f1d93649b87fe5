import type { HourRange } from '../../schema/document-store.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'
import { machineRef, narrow, wide } from '../client/kinds.ts'
import { firstRow, ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { outdatedHours } from '../tables/documents.ts'
import { from, ofMachines } from '../tables/from.ts'
import { fromStoredHours } from '../tables/stored-hours.ts'

/** See `HourStore.readOutdatedHours`. */
export async function readOutdatedHours(
  store: Store,
  companyRef: CompanyRef,
  machines: readonly MachineRef[],
): Promise<readonly HourRange[]> {
  const outdated = from(outdatedHours, companyRef, { final: true, where: [ofMachines(machines)] })
  const extent = sql`toInt64(toUnixTimestamp(min(slot))) AS first, toInt64(toUnixTimestamp(max(slot))) AS last`
  const query = sql`SELECT toUInt32(count()) AS hours, ${extent} ${outdated}`
  const bounds = await firstRow(store, query, { hours: narrow, first: wide, last: wide }, ofPipeline)
  if (bounds === null || bounds.hours === 0) return []
  const keys = { fromMs: bounds.first * 1000, toMs: bounds.last * 1000 + hourMs, machines }
  const found = await rows(
    store,
    sql`
      SELECT machine AS machineRef, ${extent}
      FROM (SELECT machine, slot, below ${outdated}) AS outdated
      INNER JOIN (SELECT machine, slot, version ${fromStoredHours(companyRef, keys, { columns: ['version'] })}) AS stored
        USING (machine, slot)
      WHERE version < below
      GROUP BY machine, toStartOfDay(slot)
      ORDER BY machineRef, first`,
    { machineRef, first: wide, last: wide },
    ofPipeline,
  )
  return found.map(({ machineRef, first, last }) => {
    return { machineRef, fromMs: first * 1000, toMs: last * 1000 + hourMs }
  })
}
