import type { DeliveryRecord } from '../../schema/records/delivery.ts'
import { type DeliveriesQuery, maxDeliveries } from '../../schema/requests/deliveries.ts'
import { storedText, wide } from '../client/kinds.ts'
import { firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { array, int64, type Sql, sql, str, uint32 } from '../sql/sql.ts'
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
  const keys = await readKeys(store, companyId, { where, limit, isFinal: state !== undefined }, options)
  const [newest, oldest] = [keys[0], keys.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  const ofPage = [
    sql`created_ms BETWEEN ${int64(oldest.created_ms)} AND ${int64(newest.created_ms)}`,
    sql`id IN ${array(
      str,
      keys.map(({ id }) => id),
    )}`,
  ]
  const query = sql`
    SELECT json ${from(deliveries, companyId, { final: true, where: ofPage })} ORDER BY created_ms DESC, id DESC`
  const found = await rows(store, query, { json: storedText }, options)
  return found.map(({ json }): DeliveryRecord => JSON.parse(json))
}

/** Number of rows of a delivery: one per state, until the engine merges them. */
const rowsOfDelivery = 4

/**
 * Reads the keys of a page, newest first. Only the state of a delivery changes: for other conditions, rows are read
 * backwards in the order of the table up to the end of the page, which FINAL cannot.
 */
async function readKeys(
  store: Store,
  companyId: string,
  { where, limit, isFinal }: { readonly where: readonly Sql[]; readonly limit: number; readonly isFinal: boolean },
  options: QueryOptions,
) {
  for (let count = limit * rowsOfDelivery; ; count *= 2) {
    const query = sql`
      SELECT created_ms, id ${from(deliveries, companyId, { final: isFinal, where })}
      ORDER BY created_ms DESC, id DESC LIMIT ${uint32(count)}`
    const found = await rows(store, query, { created_ms: wide, id: storedText }, options)
    const keys = [...new Map(found.map(key => [key.id, key])).values()]
    if (keys.length >= limit || found.length < count) return keys.slice(0, limit)
  }
}

async function readCreatedMs(store: Store, companyId: string, id: string, options: QueryOptions) {
  const query = sql`SELECT created_ms ${from(deliveries, companyId, { where: [sql`id = ${str(id)}`] })} LIMIT 1`
  const found = await firstRow(store, query, { created_ms: wide }, options)
  return found?.created_ms ?? null
}
