import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { flag, storedText } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, sql, str } from '../sql/sql.ts'
import { fromShared } from '../tables/from.ts'
import { credentials, userEmails } from '../tables/records.ts'

/** A record that authenticates callers; the kind follows from the lookup value. */
export type Credential = KeyRecord | UserRecord | SessionRecord

/** Prefix of lookup values that are email addresses. */
const emailPrefix = 'email:'
/** Timeout of a query, ms: a request waits for it. */
const timeoutMs = 3_000

/**
 * Reads current keys, users and sessions by lookup values: keys by id and by hash, users and sessions by id; users also
 * by `email:` and their address in lower case, which several users may have. An empty array means that the record was
 * deleted, a missing one that it never existed. Includes every change that was acknowledged before the call. Rejects
 * with a `StoreError`.
 */
export async function readCredentials(
  store: Store,
  lookups: readonly string[],
): Promise<ReadonlyMap<string, readonly Credential[]>> {
  const emails = lookups.filter(isEmail).map(lookup => lookup.slice(emailPrefix.length))
  const others = lookups.filter(lookup => !isEmail(lookup))
  const ids = sql`SELECT id ${fromShared(userEmails, { where: [sql`email IN ${array(str, emails)}`] })}`
  const matchesLookup = sql`lookup IN (SELECT arrayJoin(${array(str, others)}) UNION ALL ${ids})`
  const read = await rows(
    store,
    sql`
      SELECT lookup, argMax(json, command_offset) AS latest, argMax(deleted, command_offset) AS is_deleted
      ${fromShared(credentials, { where: [matchesLookup] })}
      GROUP BY lookup`,
    { lookup: storedText, latest: storedText, is_deleted: flag },
    { signal: AbortSignal.timeout(timeoutMs), logComment: '/credentials' },
  )
  const found = new Map(read.map(({ lookup, latest, is_deleted }) => [lookup, is_deleted ? [] : [parse(latest)]]))
  return new Map([...found, ...byEmail([...found.values()].flat(), new Set(emails))])
}

/** Returns the users by email address. Other records are ignored, such as users that were found by id. */
function byEmail(
  records: readonly Credential[],
  emails: ReadonlySet<string>,
): ReadonlyMap<string, readonly Credential[]> {
  const users = new Map<string, Credential[]>()
  for (const record of records) {
    if (!('email' in record) || !emails.has(record.email)) continue
    const lookup = `${emailPrefix}${record.email}`
    users.set(lookup, [...(users.get(lookup) ?? []), record])
  }
  return users
}

function isEmail(lookup: string): boolean {
  return lookup.startsWith(emailPrefix)
}

function parse(json: string): Credential {
  const record: Credential = JSON.parse(json)
  return record
}
