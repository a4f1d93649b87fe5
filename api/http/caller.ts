import type { Request, RequestHandler } from 'express'
import { authenticate, authenticateUserToken, bearerToken, InvalidToken } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { type AuthDeps, parseSessionIds, verifySession, isToTouch } from '../auth/session.ts'
import type { KeyUses } from '../auth/key-uses.ts'
import { hashKey } from '../auth/key.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { RecordsPort, ClockPort, CommandsPort } from '../ports/ports.ts'
import { clientAddressOf } from './forwarded.ts'
import { findSessionCookie } from './cookie.ts'
import type { Logger } from 'pino'
import type { ApiSettings } from '../ports/settings.ts'
import { submit } from '../commands/submit.ts'

const callers = new WeakMap<Request, Caller>()

export interface CallerDeps extends RecordsPort, TouchDeps, Omit<AuthDeps, 'sessionRules'> {
  /** Counts lookups of unknown keys and sessions by address: `guessesPerAddress`. */
  readonly guesses: Throttle
  readonly keyUses: Pick<KeyUses, 'note'>
}

/**
 * Admits only requests with a valid key, user token or session, and stores the caller for `callerOf`. Below
 * `tokenPaths` the user token may be in the query (`?token=`), for browsers and spreadsheets. An `Authorization` header
 * takes precedence over a session cookie.
 */
export function requireCaller(deps: CallerDeps, tokenPaths = ''): RequestHandler {
  return requiring(deps, request => identify(request, tokenPaths, deps))
}

/** Admits only requests with a valid `Authorization` header; ignores cookies and tokens in the query. */
export function requireToken(deps: CallerDeps): RequestHandler {
  return requiring(deps, ({ headers }) => authenticate(headers.authorization, authOf(deps)))
}

function requiring(deps: CallerDeps, identifyCaller: (request: Request) => Promise<Caller>): RequestHandler {
  const { keyUses, guesses } = deps
  const touch = createSessionToucher(deps)
  return async (request, _response, next) => {
    const caller = await boundGuesses(request, guesses, deps, () => identifyCaller(request))
    if (caller.kind === 'key') keyUses.note(caller.id)
    else touch(caller)
    callers.set(request, caller)
    next()
  }
}

/** The caller of a request; throws if the route requires none. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new Error(`${request.method} ${request.path} has no caller`)
  return caller
}

/** The caller of a request; null if the route requires none or the caller is not authenticated. */
export function callerIfAny(request: Request): Caller | null {
  return callers.get(request) ?? null
}

function authOf({ access, oauth, settings, clock }: CallerDeps): AuthDeps {
  return { access, oauth, sessionRules: settings.sessionRules, clock }
}

async function identify(request: Request, tokenPaths: string, callerDeps: CallerDeps): Promise<Caller> {
  const deps = authOf(callerDeps)
  const token = tokenPaths !== '' && request.path.startsWith(tokenPaths) ? request.query['token'] : undefined
  if (typeof token === 'string') return authenticateUserToken(token, deps)
  const cookie = findSessionCookie(request)
  if (request.headers.authorization !== undefined || cookie === undefined)
    return authenticate(request.headers.authorization, deps)
  const caller = await verifySession(cookie, deps)
  if (caller === null) throw new InvalidToken('Session expired', parseSessionIds(cookie) !== null)
  return caller
}

/** Authenticates; counts failed guesses by address. After too many, 429, unless the credential is in the records. */
async function boundGuesses(
  request: Request,
  guesses: Throttle,
  deps: CallerDeps,
  identifyCaller: () => Promise<Caller>,
): Promise<Caller> {
  const address = clientAddressOf(request)
  if (!isFamiliar(request, deps)) await guesses.requireAttempts(address)
  try {
    return await identifyCaller()
  } catch (error) {
    if (error instanceof InvalidToken && error.isGuess) await guesses.count(address)
    throw error
  }
}

/** Whether this process knows the key or session; its records may be slightly out of date. */
function isFamiliar(request: Request, { records }: CallerDeps): boolean {
  const token = bearerToken(request.headers.authorization)
  if (token !== null) return records.keyByHash(hashKey(token)) !== null
  const ids = parseSessionIds(findSessionCookie(request) ?? '')
  return ids !== null && records.sessionById(ids.sessionId) !== null
}

interface TouchDeps extends CommandsPort, ClockPort {
  readonly settings: Pick<ApiSettings, 'sessionRules'>
  readonly logger: Logger
}

/** Records the use of a session from time to time, in the background; after a failure, the next request retries. */
function createSessionToucher({ commands, settings, clock, logger }: TouchDeps): (caller: Caller) => void {
  const pending = new Set<string>()
  return caller => {
    const { session } = caller
    if (!session || pending.has(session.id) || !isToTouch(session, settings.sessionRules, clock())) return
    pending.add(session.id)
    submit({ commands }, caller, 'session.touch', { id: session.id })
      .catch((error: unknown) => logger.debug({ err: error }, 'Failed to record session use'))
      .finally(() => pending.delete(session.id))
  }
}
