import type { Records } from '../../processors/records/records.ts'
import { unavailable } from '../../schema/errors.ts'
import type { KeyRecord, SessionRecord, UserRecord } from '../../schema/records.ts'
import type { Access } from './access.ts'
import { shareReads } from './share-reads.ts'

type Credential = KeyRecord | UserRecord | SessionRecord

export interface SharedAccessDeps {
  /** By id, by the hash of a key, or by `email:` and a user's address in lower case: as the store has it now; null: it is gone. */
  readonly read: (lookups: readonly string[]) => Promise<ReadonlyMap<string, Credential | null>>
  readonly records: Records
  /** Resolves when the records hold everything that is in the log now. */
  readonly catchUp: () => Promise<void>
}

/** A store that failed is not asked again before this: whoever asks meanwhile need not wait for it to fail once more. */
const restMs = 5_000

/**
 * Where several processes share the log: what authenticates is read from the store with each request. While the store is away, the
 * records are brought up to the end of the log instead, which is as sure: a change is in both before it is answered. So samples are
 * taken meanwhile. The same holds for what the store never had and the records know: it was lost, and is about to be filled again.
 */
export function sharedAccess({ read, records, catchUp }: SharedAccessDeps): Access {
  let failedAtMs = -Infinity
  const fromLog: typeof read = async lookups => {
    await catchUp()
    return new Map(lookups.flatMap(lookup => entryOf(lookup, records)))
  }
  const fromStore: typeof read = async lookups => {
    const found = await read(lookups).catch((error: unknown) => {
      failedAtMs = performance.now()
      throw error
    })
    const lost = lookups.filter(lookup => !found.has(lookup) && entryOf(lookup, records).length > 0)
    return lost.length === 0 ? found : new Map([...found, ...(await fromLog(lost))])
  }
  const find = shareReads<Credential | null>(async lookups => {
    try {
      if (performance.now() - failedAtMs < restMs) return await fromLog(lookups)
      return await fromStore(lookups).catch(() => fromLog(lookups))
    } catch (error) {
      throw unavailable('Who asks can not be told now', 2, error)
    }
  })
  const user: Access['user'] = async id => asUser(await find(id))
  return {
    keyByHash: async hash => {
      const key = asKey(await find(hash))
      return key?.hash === hash ? key : null
    },
    key: async id => asKey(await find(id)),
    user,
    userByEmail: async given => {
      const email = given.toLowerCase()
      const found = asUser(await find(`email:${email}`))
      // The address may have been given up since, which only the user's own row tells. It takes as long where there is none.
      const current = await user(found?.id ?? 'nobody')
      return current?.email === email ? current : null
    },
    session: async id => asSession(await find(id)),
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

function entryOf(lookup: string, records: Records): readonly (readonly [string, Credential])[] {
  const found =
    records.keyByHash(lookup) ??
    records.keyById(lookup) ??
    records.sessionById(lookup) ??
    records.userById(lookup) ??
    records.userByEmail(lookup.replace(/^email:/, ''))
  return found ? [[lookup, found]] : []
}

function asKey(found: Credential | null): KeyRecord | null {
  return found && 'hash' in found ? found : null
}

function asUser(found: Credential | null): UserRecord | null {
  return found && 'passwordHash' in found ? found : null
}

function asSession(found: Credential | null): SessionRecord | null {
  return found && 'userId' in found ? found : null
}
