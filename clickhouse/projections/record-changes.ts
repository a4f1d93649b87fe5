import { timedKindNames } from '../../schema/records/timed-records.ts'
import { storedText, wide } from '../client/kinds.ts'
import { ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, dateTime64, sql, str } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { audit } from '../tables/records.ts'

/**
 * Returns the clock of the last change of a record with a time since an instant, by id of the machine, from the audit
 * trail: deleted records are in no other table. Instants are UTC ms. Rejects with a `StoreError`.
 */
export async function readRecordChanges(
  store: Store,
  companyId: string,
  fromMs: number,
): Promise<ReadonlyMap<string, number>> {
  const where = [sql`kind IN ${array(str, timedKindNames)}`, sql`at >= ${dateTime64(fromMs)}`]
  const query = sql`
    SELECT JSONExtractString(if(after = '', before, after), 'machineId') AS machine_id,
      toUnixTimestamp64Milli(max(at)) AS changed_ms
    ${from(audit, companyId, { where })}
    GROUP BY machine_id`
  const found = await rows(store, query, { machine_id: storedText, changed_ms: wide }, ofPipeline)
  return new Map(found.map(({ machine_id, changed_ms }) => [machine_id, changed_ms]))
}
