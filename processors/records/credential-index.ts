import type { Change } from '../../schema/records/record-kinds.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { replaceIn } from './replace-in.ts'

/**
 * Index of keys, users and sessions of all companies, because the company of a caller is unknown before authentication.
 */
export class CredentialIndex {
  readonly #keyById = new Map<string, KeyRecord>()
  readonly #keyByHash = new Map<string, KeyRecord>()
  readonly #userById = new Map<string, UserRecord>()
  readonly #usersByEmail = new Map<string, readonly UserRecord[]>()
  readonly #sessionById = new Map<string, SessionRecord>()

  keyByHash(hash: string): KeyRecord | null {
    return this.#keyByHash.get(hash) ?? null
  }

  keyById(id: string): KeyRecord | null {
    return this.#keyById.get(id) ?? null
  }

  userById(id: string): UserRecord | null {
    return this.#userById.get(id) ?? null
  }

  /** Returns the users of all companies with this email address, in any letter case: at most one per company. */
  usersByEmail(email: string): readonly UserRecord[] {
    return this.#usersByEmail.get(email.toLowerCase()) ?? []
  }

  sessionById(id: string): SessionRecord | null {
    return this.#sessionById.get(id) ?? null
  }

  replace(change: Extract<Change, { readonly kind: 'key' | 'user' | 'session' }>): void {
    switch (change.kind) {
      case 'key':
        replaceIn(this.#keyById, change.before?.id, change.after?.id, change.after)
        replaceIn(this.#keyByHash, change.before?.hash, change.after?.hash, change.after)
        break
      case 'user':
        replaceIn(this.#userById, change.before?.id, change.after?.id, change.after)
        this.#replaceEmail(change.before, change.after)
        break
      case 'session':
        replaceIn(this.#sessionById, change.before?.id, change.after?.id, change.after)
        break
    }
  }

  #replaceEmail(before: UserRecord | null, after: UserRecord | null): void {
    if (before) {
      const others = this.usersByEmail(before.email).filter(({ id }) => id !== before.id)
      if (others.length > 0) this.#usersByEmail.set(before.email, others)
      else this.#usersByEmail.delete(before.email)
    }
    if (after) this.#usersByEmail.set(after.email, [...this.usersByEmail(after.email), after])
  }
}
