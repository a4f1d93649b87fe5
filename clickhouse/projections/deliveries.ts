import type { DeliveryRecord } from '../../schema/records/delivery.ts'
import { type DeliveriesQuery, maxDeliveries } from '../../schema/requests/deliveries.ts'
import { storedText, wide } from '../client/kinds.ts'
import { firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { deliveries } from '../tables/record-kinds.ts'

/**
 * Reads a page of a company's deliveries, newest first; null: there is no delivery `startId`. Rejects with a
 * `StoreError`.
 */
export async function readDeliveries(
  store: Store,
  companyId: string,
  { incidentId, targetId, state, startId, limit = maxDeliveries }: DeliveriesQuery,
  options: QueryOptions,
): Promise<readonly DeliveryRecord[] | null> {
  const startMs = startId === undefined ? null : await readCreatedMs(store, companyId, startId, options)
  if (startId !== undefined && startMs === null) return null
  const where: readonly Sql[] = [
    ...(incidentId === undefined ? [] : [sql`has(incident_ids, ${str(incidentId)})`]),
    ...(targetId === undefined ? [] : [sql`target_id = ${str(targetId)}`]),
    ...(state === undefined ? [] : [sql`state = ${str(state)}`]),
    ...(startMs === null ? [] : [sql`(created_ms, id) < (${int64(startMs)}, ${str(startId ?? '')})`]),
  ]
  const query = sql`
    SELECT json ${from(deliveries, companyId, { final: true, where })}
    ORDER BY created_ms DESC, id DESC LIMIT ${uint32(limit)}`
  const found = await rows(store, query, { json: storedText }, options)
  return found.map(({ json }): DeliveryRecord => JSON.parse(json))
}

async function readCreatedMs(store: Store, companyId: string, id: string, options: QueryOptions) {
  const query = sql`SELECT created_ms ${from(deliveries, companyId, { where: [sql`id = ${str(id)}`] })} LIMIT 1`
  const found = await firstRow(store, query, { created_ms: wide }, options)
  return found?.created_ms ?? null
}
