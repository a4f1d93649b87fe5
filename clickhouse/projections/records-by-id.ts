import type { RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import { flag, storedText, wide } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { QueryOptions, QuerySettings, StoreReads } from '../client/store.ts'
import { array, sql, str } from '../sql/sql.ts'
import { from } from '../tables/from.ts'
import { records } from '../tables/records.ts'
import { newestVersions } from './newest-versions.ts'

/** Settings of look-ups: the few rows of one granule need one thread. */
export const lookupSettings = { max_threads: 1 } as const satisfies QuerySettings

/** Reads a record of a company by its id; null if there is none. Rejects with a `StoreError`. */
export async function readRecord<K extends RecordKind>(
  store: StoreReads,
  kind: K,
  companyId: string,
  /** In its stored form. */
  id: string,
  options: QueryOptions,
): Promise<RecordKinds[K] | null> {
  const settings = { ...options.settings, ...lookupSettings }
  const [found = null] = await readRecordsById(store, kind, companyId, [id], { ...options, settings })
  return found
}

/** Reads those records of a company that exist, by their ids, in no order. Rejects with a `StoreError`. */
export async function readRecordsById<K extends RecordKind>(
  store: StoreReads,
  kind: K,
  companyId: string,
  /** In their stored form. */
  ids: readonly string[],
  options: QueryOptions,
): Promise<readonly RecordKinds[K][]> {
  const reading = { first: sql`id IN ${array(str, ids)}`, where: [sql`kind = ${str(kind)}`] }
  const query = sql`
    SELECT id, json, deleted, toInt64(command_offset) AS version ${from(records, companyId, reading)}`
  const shape = { id: storedText, json: storedText, deleted: flag, version: wide }
  const current = newestVersions(await rows(store, query, shape, options), row => row.id)
  return current.map(({ json }): RecordKinds[K] => JSON.parse(json))
}
