import type { Access } from './access.ts'
import type { OAuthCheck } from './oauth.ts'
import { createHash, randomBytes } from 'node:crypto'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { type Caller, userCaller } from './caller.ts'

/** Limits of a session's lifetime. */
export interface SessionRules {
  /** From sign-in, whether it is used or not. */
  readonly lifetimeMs: number
  readonly idleMs: number
}

export const defaultSessionRules: SessionRules = { lifetimeMs: 7 * 86_400_000, idleMs: 12 * 3_600_000 }

export interface AuthDeps {
  readonly access: Access
  readonly sessionRules: SessionRules
  /** Verifies access tokens of the OAuth provider; null: none is configured. */
  readonly oauth: OAuthCheck | null
  readonly clock: () => number
}

/** A session's use is recorded after this share of the idle time, to keep the log small. */
const touchAfterShare = 0.25

/** A new session: `<user id>.<32 random bytes>` as the cookie; the id is the hash of the bytes. */
interface NewSession {
  readonly id: string
  readonly cookie: string
}

export function newSession(userId: string): NewSession {
  const token = randomBytes(32).toString('base64url')
  return { id: idOf(token), cookie: `${userId}.${token}` }
}

/** The caller of a session cookie; null: unknown or expired. Rejects with 503 if the session cannot be read. */
export async function verifySession(cookie: string, deps: AuthDeps): Promise<Caller | null> {
  const ids = parseSessionIds(cookie)
  return ids && liveSession(ids, deps)
}

interface SessionIds {
  readonly userId: string
  readonly sessionId: string
}

/** The ids in the value of a cookie; null: invalid. */
export function parseSessionIds(cookie: string): SessionIds | null {
  const [, userId, token] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookie) ?? []
  return userId === undefined || token === undefined ? null : { userId, sessionId: idOf(token) }
}

/** The caller of a session that has not expired, with the current state of the user. */
export async function liveSession(
  { userId, sessionId }: SessionIds,
  { access, sessionRules, clock }: AuthDeps,
): Promise<Caller | null> {
  const [session, user] = await Promise.all([access.session(sessionId), access.user(userId)])
  if (!session || !user || !isLive(session, user, sessionRules, clock())) return null
  const company = await access.company(user.companyId)
  return company && userCaller(user, session, company)
}

/** Whether the use of the session must be recorded again. */
export function isToTouch({ usedAt }: SessionRecord, { idleMs }: SessionRules, nowMs: number): boolean {
  return nowMs - Date.parse(usedAt) > idleMs * touchAfterShare
}

function isLive(session: SessionRecord, user: UserRecord, { idleMs }: SessionRules, nowMs: number): boolean {
  const { userId, expiresAt, usedAt } = session
  if (userId !== user.id || user.disabledAt !== null) return false
  return nowMs < Date.parse(expiresAt) && nowMs < Date.parse(usedAt) + idleMs
}

function idOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
