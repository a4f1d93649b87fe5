import type { Records } from '../../processors/records/records.ts'
import { unavailable } from '../../schema/errors.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import type { Access } from './access.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'

type Credential = KeyRecord | UserRecord | SessionRecord

interface SharedAccessDeps {
  /** Reads credentials by id, hash of a key, or `email:` and an address in lower case; an empty array: deleted. */
  readonly read: (lookups: readonly string[]) => Promise<ReadonlyMap<string, readonly Credential[]>>
  readonly records: Records
  /** Resolves when the records contain everything that is in the log now. */
  readonly catchUp: () => Promise<void>
}

/** Delay after a failure of the store, during which requests use the log and do not wait for another failure. */
const storePauseMs = 5_000

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
      if (performance.now() - failedAtMs < storePauseMs) return await fromLog(lookups)
      return await fromStore(lookups).catch(() => fromLog(lookups))
    } catch (error) {
      throw unavailable('Cannot verify credentials. Retry later.', 2, error)
    }
  })
  const one = async <T extends Credential>(lookup: string, isType: (found: Credential) => found is T) => {
    const found = (await find(lookup))?.[0]
    return found && isType(found) ? found : null
  }
  return {
    keyByHash: async hash => {
      const key = await one(hash, isKey)
      return key?.hash === hash ? key : null
    },
    key: id => one(id, isKey),
    user: id => one(id, isUser),
    usersByEmail: async email => ((await find(`email:${email.toLowerCase()}`)) ?? []).filter(isUser),
    session: id => one(id, isSession),
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

function isKey(found: Credential): found is KeyRecord {
  return 'hash' in found
}

function isUser(found: Credential): found is UserRecord {
  return 'email' in found
}

function isSession(found: Credential): found is SessionRecord {
  return 'userId' in found
}

interface Waiting<T> {
  readonly id: string
  readonly resolve: (found: T | null) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of ids per read, so that the store parses its query quickly. */
const maxIds = 1000

/** Combines concurrent lookups into shared reads, each begun after its requests. null: not found. */
export function shareReads<T>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | null> {
  let waiting: Waiting<T>[] = []
  let isReading = false

  const readAll = async (): Promise<void> => {
    isReading = true
    // Callers of the same tick share the first read, too.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxIds)
      waiting = waiting.slice(maxIds)
      await settle(batch, read)
    }
    isReading = false
  }

  return id =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      // The waiting callers receive a failure.
      if (!isReading) crashOnRejection(readAll())
    })
}

async function settle<T>(
  batch: readonly Waiting<T>[],
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<void> {
  try {
    const found = await read([...new Set(batch.map(({ id }) => id))])
    for (const { id, resolve } of batch) resolve(found.get(id) ?? null)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
