import type { CompanyRecord } from '../../schema/records/company.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { type Role, scopesOfRole } from '../../schema/roles.ts'

/** Who asks, be it a key or a user, and for which company. */
export interface Caller {
  readonly kind: 'key' | 'user'
  /** Id of the key or the user, or of the OAuth subject (with `subjectIdPrefix`). */
  readonly id: string
  readonly name: string
  /** Scopes that the caller has. With a user token: the scopes of the token that its key or user still has. */
  readonly scopes: readonly string[]
  readonly company: CompanyRecord
  /** Session of a user; null: a key, or a subject of the OAuth provider. */
  readonly session: SessionRecord | null
  /** End of the token that came with the request, UTC ms; null: a key or the cookie of a session came. */
  readonly tokenEndsAtMs: number | null
  /** The user who is signed in with a session; null: a key or a token, which may do less. */
  readonly signedIn: UserRecord | null
}

export function keyCaller(key: KeyRecord, company: CompanyRecord): Caller {
  const { id, name, scopes } = key
  return { kind: 'key', id, name, scopes, company, session: null, tokenEndsAtMs: null, signedIn: null }
}

export function userCaller(user: UserRecord, session: SessionRecord, company: CompanyRecord): Caller {
  const { id, displayName, role } = user
  return {
    kind: 'user',
    id,
    name: displayName,
    scopes: scopesOfRole[role],
    company,
    session,
    tokenEndsAtMs: null,
    signedIn: user,
  }
}

/** The id of a caller that the OAuth provider vouches for begins with it; no key or user has such an id. */
export const subjectIdPrefix = 'oauth:'

/** Someone whom the OAuth provider vouches for until the token ends. */
export function subjectCaller(
  { id, name, scopes, endsAtMs }: Pick<Caller, 'id' | 'name' | 'scopes'> & { readonly endsAtMs: number },
  company: CompanyRecord,
): Caller {
  return { kind: 'user', id, name, scopes, company, session: null, tokenEndsAtMs: endsAtMs, signedIn: null }
}

/** Whether the caller is signed in with one of the roles. */
export function hasRole({ signedIn }: Caller, roles: readonly Role[]): boolean {
  return signedIn !== null && roles.includes(signedIn.role)
}
