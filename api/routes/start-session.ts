import { ApiError } from '../../schema/errors.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import type { Session } from '../../schema/requests/session.ts'
import { scopesOfRole } from '../../schema/roles.ts'
import { InvalidToken } from '../auth/authenticate.ts'
import { newSession } from '../auth/session.ts'
import { submit } from '../commands/submit.ts'
import { setSessionCookie } from '../http/cookie.ts'
import type { Call } from '../http/route.ts'
import type { Access } from '../auth/access.ts'
import type { ClockPort, CommandsPort } from '../ports/ports.ts'
import type { ApiSettings } from '../ports/settings.ts'
import { shownUser } from './users.ts'

export interface SessionStartPort extends CommandsPort, ClockPort {
  readonly access: Pick<Access, 'company'>
  readonly settings: Pick<ApiSettings, 'sessionRules'>
}

/** Starts a session of a user whose password or identity was verified; sets the cookies and returns the session. */
export async function startSession(
  user: UserRecord,
  company: CompanyRecord,
  { baseUrl, setHeader }: Pick<Call, 'baseUrl' | 'setHeader'>,
  deps: SessionStartPort,
): Promise<Session> {
  const { lifetimeMs, idleMs } = deps.settings.sessionRules
  const { id, cookie } = newSession(user.id)
  const nowMs = deps.clock()
  const expiresAt = new Date(nowMs + lifetimeMs).toISOString()
  const idleSince = new Date(nowMs - idleMs).toISOString()
  const { passwordHash, identity = null } = user
  const payload = { id, userId: user.id, passwordHash, identity, expiresAt, idleSince }
  try {
    await submit(deps, { kind: 'user', id: user.id, name: user.displayName, company }, 'session.start', payload)
  } catch (error) {
    // The user was deleted, disabled or given another password or identity after the verification.
    if (error instanceof ApiError && error.status < 500) throw new InvalidToken('Your user has changed. Sign in again.')
    throw error
  }
  setHeader('Set-Cookie', setSessionCookie(cookie, lifetimeMs, baseUrl))
  return shownSession(user, company, expiresAt)
}

/** A session in the form of the response. */
export function shownSession(user: UserRecord, { id, settings }: CompanyRecord, expiresAt: string): Session {
  const company = { id, name: settings.companyName, timeZone: settings.timeZone }
  return { user: shownUser(user), company, scopes: scopesOfRole[user.role], expiresAt }
}
