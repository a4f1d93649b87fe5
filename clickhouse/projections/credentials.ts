import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { flag, storedText } from '../client/kinds.ts'
import { rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { array, sql, str } from '../sql/sql.ts'
import { fromShared } from '../tables/from.ts'
import { credentials, userEmails } from '../tables/records.ts'

/** A record that authenticates; the caller knows of which kind it is. */
export type Credential = KeyRecord | UserRecord | SessionRecord

/** Before an email address that is looked up. */
const emailPrefix = 'email:'
/** The request waits for the read. */
const withinMs = 3_000

/**
 * Current keys, users and sessions by their lookup values: keys by id and by hash, users and sessions by id; users also
 * by `email:` and their address in lower case, which several users may have. An empty list: deleted; missing: never
 * existed. Includes every change that was acknowledged before the call. Rejects with a `StoreError`.
 */
export async function readCredentials(
  store: Store,
  lookups: readonly string[],
): Promise<ReadonlyMap<string, readonly Credential[]>> {
  const emails = lookups.filter(isEmail).map(lookup => lookup.slice(emailPrefix.length))
  const others = lookups.filter(lookup => !isEmail(lookup))
  const ids = sql`SELECT id ${fromShared(userEmails, { where: [sql`email IN ${array(str, emails)}`] })}`
  const isAsked = sql`lookup IN (SELECT arrayJoin(${array(str, others)}) UNION ALL ${ids})`
  const read = await rows(
    store,
    sql`
      SELECT lookup, argMax(json, command_offset) AS latest, argMax(deleted, command_offset) AS gone
      ${fromShared(credentials, { where: [isAsked] })}
      GROUP BY lookup`,
    { lookup: storedText, latest: storedText, gone: flag },
    { signal: AbortSignal.timeout(withinMs), logComment: '/credentials' },
  )
  const found = new Map(read.map(({ lookup, latest, gone }) => [lookup, gone ? [] : [parse(latest)]]))
  return new Map([...found, ...byEmail([...found.values()].flat(), new Set(emails))])
}

/** Users who have one of the addresses now; a user found by id alone is among the records, too. */
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
