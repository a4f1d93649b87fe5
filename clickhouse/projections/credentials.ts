import type { KeyRecord, SessionRecord, UserRecord } from '../../schema/records.ts'
import { array, sql, str } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'

/** What authenticates; whoever looked it up knows which. */
export type Credential = KeyRecord | UserRecord | SessionRecord

/** Who asks waits for it. */
const withinMs = 3_000

/**
 * Keys, users and sessions as they are now, by what they are looked up by (see migration 014); null: it is gone; missing: there never
 * was one. Every change answered before the call is in it. Rejects with a `StoreError`.
 */
export async function readCredentials(
  store: Store,
  lookups: readonly string[],
): Promise<ReadonlyMap<string, Credential | null>> {
  const rows = await store.query<{ readonly lookup: string; readonly latest: string; readonly gone: number }>(
    sql`
      SELECT lookup, argMax(json, command_offset) AS latest, argMax(deleted, command_offset) AS gone
      FROM credentials
      WHERE lookup IN ${array(str, lookups)}
      GROUP BY lookup`,
    { signal: AbortSignal.timeout(withinMs), logComment: '/credentials' },
  )
  return new Map(rows.map(({ lookup, latest, gone }) => [lookup, gone === 0 ? parse(latest) : null]))
}

function parse(json: string): Credential {
  const record: Credential = JSON.parse(json)
  return record
}
