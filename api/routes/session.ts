import { nullSchema } from '../../schema/types.ts'
import { passwordInput, sessionResponse, signInInput, type Session } from '../../schema/requests/session.ts'
import { fieldError, validationError, ApiError } from '../../schema/errors.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { scopesOfRole, roles } from '../../schema/roles.ts'
import { InvalidToken } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { hashPassword } from '../auth/password.ts'
import { signedInAs } from '../auth/scopes.ts'
import { withKnownUser } from '../auth/known-browser.ts'
import type { SignIn, SignInSource } from '../auth/sign-in.ts'
import { cookieHeader, cookieNameAt } from '../http/cookie.ts'
import { type Call, jsonBody, route } from '../http/route.ts'
import type { CommandsPort, ClockPort } from '../ports/ports.ts'
import { submit } from '../commands/submit.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import { newSession } from '../auth/session.ts'
import type { Access } from '../auth/access.ts'
import type { ApiSettings } from '../ports/settings.ts'
import { shownUser } from './users.ts'

export interface SignInPort {
  readonly signIn: SignIn
}

const anyUser = signedInAs(...roles)

const postSession = route('POST /session', 'signIn', {
  summary: 'Sign in',
  description:
    'Sets cookies that scripts cannot read and other sites cannot send. Changing requests with the session cookie need `Sec-Fetch-Site: same-origin` or this service as `Origin`, which browsers send. 401 does not reveal which value was wrong. An email address may have users in several companies: the oldest one with this password is signed in; `company` (id or name) selects another. If more than three have the address, `company` is required. 429 after too many failures; a browser in which the user has signed in before has its own counter.',
  scope: 'public',
  mayReject: true,
  body: jsonBody(signInInput),
  output: sessionResponse,
  async handle({ body, ...call }, deps: SignInPort & SessionStartPort) {
    const source = signInSource(call)
    const user = await deps.signIn.userWith(body, source)
    const company = await deps.access.company(user.companyId)
    if (!company) throw new InvalidToken('The email address or the password is wrong')
    const session = await startSession(user, company, call, deps)
    call.setHeader('Set-Cookie', cookieHeader('browser', withKnownUser(source.browser, user), call.baseUrl))
    return session
  },
})

const getSession = route('GET /session', 'getSession', {
  summary: 'The signed-in user and the user’s rights',
  scope: anyUser,
  output: sessionResponse,
  handle({ caller }) {
    const { user, session, company } = signedIn(caller())
    return shownSession(user, company, session.expiresAt)
  },
})

const deleteSession = route('DELETE /session', 'signOut', {
  summary: 'Sign out',
  scope: anyUser,
  output: nullSchema,
  async handle({ caller, baseUrl, setHeader }, deps: CommandsPort) {
    await submit(deps, caller(), 'session.end', { id: signedIn(caller()).session.id })
    setHeader('Set-Cookie', cookieHeader('session', '', baseUrl))
    return null
  },
})

const putPassword = route('PUT /session/password', 'changePassword', {
  summary: 'Change the caller’s password, which ends the other sessions',
  scope: anyUser,
  body: jsonBody(passwordInput),
  output: nullSchema,
  async handle({ caller, body, ...call }, deps: SignInPort & CommandsPort) {
    const { user, session } = signedIn(caller())
    const source = signInSource(call)
    await checkPassword(user, body.currentPassword, source, deps)
    const passwordHash = await hashPassword(body.newPassword)
    await submit(deps, caller(), 'user.patch', { id: user.id, passwordHash, keepSession: session.id })
    const cookie = withKnownUser(source.browser, { ...user, passwordHash })
    call.setHeader('Set-Cookie', cookieHeader('browser', cookie, call.baseUrl))
    return null
  },
})

/** The client of a request, for the limits of failed sign-ins. */
export function signInSource({ address, baseUrl, cookie }: Pick<Call, 'address' | 'baseUrl' | 'cookie'>): SignInSource {
  return { address, browser: cookie(cookieNameAt('browser', baseUrl)) }
}

/** The user and session of a route that only signed-in users may call. */
export function signedIn({ signedIn: user, session, company }: Caller) {
  if (!user || !session) throw new Error('invariant: a user who is signed in')
  return { user, session, company }
}

/** Rejects with 400 if the password is wrong: at a 401 clients would sign out. */
export async function checkPassword(
  user: UserRecord,
  password: string,
  source: SignInSource,
  { signIn }: SignInPort,
): Promise<void> {
  try {
    await signIn.confirm(user, password, source)
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error
    throw validationError([fieldError('currentPassword', 'InvalidDataItem', 'currentPassword is wrong')])
  }
}

export const sessionRoutes = [postSession, getSession, deleteSession, putPassword]

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
  setHeader('Set-Cookie', cookieHeader('session', cookie, baseUrl, lifetimeMs))
  return shownSession(user, company, expiresAt)
}

function shownSession(user: UserRecord, { id, settings }: CompanyRecord, expiresAt: string): Session {
  const company = { id, name: settings.companyName, timeZone: settings.timeZone }
  return { user: shownUser(user), company, scopes: scopesOfRole[user.role], expiresAt }
}
