import type { Records } from '../../processors/records/records.ts'
import { unavailable } from '../../schema/errors.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import type { Access } from './access.ts'
import { shareReads } from './share-reads.ts'

type Credential = KeyRecord | UserRecord | SessionRecord

export interface SharedAccessDeps {
  /**
   * Reads credentials by id, by the hash of a key, or by `email:` and an address in lower case, from the store; an
   * empty array: deleted.
   */
  readonly read: (lookups: readonly string[]) => Promise<ReadonlyMap<string, readonly Credential[]>>
  readonly records: Records
  /** Resolves when the records contain everything that is in the log now. */
  readonly catchUp: () => Promise<void>
}

/** Delay after a failure of the store, during which requests use the log and do not wait for another failure. */
const restMs = 5_000

/**
 * `Access` for several processes with a shared log: credentials are read from the store with each request. If the store
 * is unavailable, the process reads the log to its end instead, which is equally safe: a change is in both before it is
 * acknowledged. So ingest continues. The same holds for credentials that the store lacks but the records have: the
 * store was lost and will be filled again.
 */
export function sharedAccess({ read, records, catchUp }: SharedAccessDeps): Access {
  let failedAtMs = -Infinity
  const fromLog: typeof read = async lookups => {
    await catchUp()
    return new Map(lookups.map(lookup => [lookup, knownAs(lookup, records)]))
  }
  const fromStore: typeof read = async lookups => {
    const found = await read(lookups).catch((error: unknown) => {
      failedAtMs = performance.now()
      throw error
    })
    const lost = lookups.filter(lookup => !found.has(lookup) && knownAs(lookup, records).length > 0)
    return lost.length === 0 ? found : new Map([...found, ...(await fromLog(lost))])
  }
  const find = shareReads<readonly Credential[]>(async lookups => {
    try {
      if (performance.now() - failedAtMs < restMs) return await fromLog(lookups)
      return await fromStore(lookups).catch(() => fromLog(lookups))
    } catch (error) {
      throw unavailable('Cannot verify credentials. Retry later.', 2, error)
    }
  })
  const one = async (lookup: string): Promise<Credential | null> => (await find(lookup))?.[0] ?? null
  return {
    keyByHash: async hash => {
      const key = asKey(await one(hash))
      return key?.hash === hash ? key : null
    },
    key: async id => asKey(await one(id)),
    user: async id => asUser(await one(id)),
    usersByEmail: async email => ((await find(`email:${email.toLowerCase()}`)) ?? []).filter(isUser),
    session: async id => asSession(await one(id)),
    async company(id) {
      const known = records.company(id)
      if (known) return known
      await catchUp()
      return records.company(id)
    },
    async companyWithSecret(id) {
      const known = records.company(id)
      if (known?.tokenSecret !== undefined) return known
      await catchUp()
      return records.company(id)
    },
  }
}

function knownAs(lookup: string, records: Records): readonly Credential[] {
  if (lookup.startsWith('email:')) return records.usersByEmail(lookup.slice('email:'.length))
  const found =
    records.keyByHash(lookup) ?? records.keyById(lookup) ?? records.sessionById(lookup) ?? records.userById(lookup)
  return found ? [found] : []
}

function asKey(found: Credential | null): KeyRecord | null {
  return found && 'hash' in found ? found : null
}

function asUser(found: Credential | null): UserRecord | null {
  return found && isUser(found) ? found : null
}

function isUser(found: Credential): found is UserRecord {
  return 'email' in found
}

function asSession(found: Credential | null): SessionRecord | null {
  return found && 'userId' in found ? found : null
}
