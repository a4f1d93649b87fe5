import type { CompanyRecord } from '../../schema/records/company.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { type Role, scopesOfRole } from '../../schema/roles.ts'

/** An authenticated key, user or OAuth subject, with its company. */
export interface Caller {
  readonly kind: 'key' | 'user'
  /** Id of the key or the user, or of the OAuth subject (with `subjectIdPrefix`). */
  readonly id: string
  readonly name: string
  /** Scopes of the caller. With a user token: the scopes of the token that its key or user still has. */
  readonly scopes: readonly string[]
  readonly company: CompanyRecord
  /** Session of a user; null: a key or an OAuth subject. */
  readonly session: SessionRecord | null
  /** Expiry of the request's token, UTC ms; null: the request has a key or a session cookie. */
  readonly tokenEndsAtMs: number | null
  /** The user of a session; null: a key or a token, which have fewer rights. */
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

/** Prefix of the ids of OAuth subjects; ids of keys and users never have it. */
export const subjectIdPrefix = 'oauth:'

/** The caller for an OAuth subject, until the token expires. */
export function subjectCaller(
  { id, name, scopes, endsAtMs }: Pick<Caller, 'id' | 'name' | 'scopes'> & { readonly endsAtMs: number },
  company: CompanyRecord,
): Caller {
  return { kind: 'user', id, name, scopes, company, session: null, tokenEndsAtMs: endsAtMs, signedIn: null }
}

/** Whether the caller is a signed-in user with one of the roles. */
export function hasRole({ signedIn }: Caller, roles: readonly Role[]): boolean {
  return signedIn !== null && roles.includes(signedIn.role)
}
