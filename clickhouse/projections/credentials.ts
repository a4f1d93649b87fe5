import type { KeyRecord, SessionRecord, UserRecord } from '../../schema/records.ts'
import { flag, text } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, sql, str } from '../sql/sql.ts'
import { fromShared } from '../tables/from.ts'
import { credentials } from '../tables/records.ts'

/** What authenticates; whoever looked it up knows which. */
export type Credential = KeyRecord | UserRecord | SessionRecord

/** Who asks waits for it. */
const withinMs = 3_000

/**
 * Keys, users and sessions as they are now, by what they are looked up by (see the migration of `credentials`); null: it is gone; missing: there never
 * was one. Every change answered before the call is in it. Rejects with a `StoreError`.
 */
export async function readCredentials(
  store: Store,
  lookups: readonly string[],
): Promise<ReadonlyMap<string, Credential | null>> {
  const found = await rows(
    store,
    sql`
      SELECT lookup, argMax(json, command_offset) AS latest, argMax(deleted, command_offset) AS gone
      ${fromShared(credentials, { where: [sql`lookup IN ${array(str, lookups)}`] })}
      GROUP BY lookup`,
    { lookup: text, latest: text, gone: flag },
    { signal: AbortSignal.timeout(withinMs), logComment: '/credentials' },
  )
  return new Map(found.map(({ lookup, latest, gone }) => [lookup, gone ? null : parse(latest)]))
}

function parse(json: string): Credential {
  const record: Credential = JSON.parse(json)
  return record
}
