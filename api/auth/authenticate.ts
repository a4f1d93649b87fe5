import type { Access } from './access.ts'
import type { AuthDeps } from './session.ts'
import { type Caller, keyCaller, subjectCaller, subjectIdPrefix } from './caller.ts'
import { hashKey, isPlausibleKey } from './key.ts'
import { looksLikeUserToken, verifyUserToken } from './user-token.ts'

/** The request has no valid key, token or session: 401. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken'
  /** Whether the lookup of a key, token or session found none, which counts as a guess. */
  readonly isGuess: boolean

  constructor(message: string, isGuess = false, cause?: unknown) {
    super(message, { cause })
    this.isGuess = isGuess
  }
}

const scheme = 'bearer '

/** The token of an `Authorization` header; null if there is none. */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined || header.slice(0, scheme.length).toLowerCase() !== scheme) return null
  const text = header.slice(scheme.length).trim()
  // Node decodes headers as Latin-1, but clients send keys as UTF-8.
  return text === '' ? null : Buffer.from(text, 'latin1').toString()
}

/** Identifies the caller by an `Authorization` header. Rejects as `authenticateToken` does. */
export async function authenticate(header: string | undefined, deps: AuthDeps): Promise<Caller> {
  const token = bearerToken(header)
  if (token === null) throw new InvalidToken('An access token is required')
  return authenticateToken(token, deps)
}

/** Identifies the caller by any token. Rejects with an `InvalidToken`, or with 503 if it cannot be verified. */
export async function authenticateToken(token: string, deps: AuthDeps): Promise<Caller> {
  const isToken = looksLikeUserToken(token)
  const caller = (isToken ? await verifyUserToken(token, deps) : null) ?? (await authenticateSubject(token, deps))
  return caller ?? authenticateKey(token, deps.access, isToken)
}

/** The caller of an OAuth access token; null: another issuer, or an unknown company. */
async function authenticateSubject(token: string, { oauth, access }: AuthDeps): Promise<Caller | null> {
  const subject = oauth && (await oauth(token))
  const company = subject && (await access.company(subject.companyId))
  return company && subjectCaller({ ...subject, id: `${subjectIdPrefix}${subject.subject}` }, company)
}

/** Accepts a user token only: URLs appear in logs and histories, so a key must not be in them. */
export async function authenticateUserToken(token: string, deps: AuthDeps): Promise<Caller> {
  const caller = await verifyUserToken(token, deps)
  if (caller === null) throw new InvalidToken('The access token is invalid', looksLikeUserToken(token))
  return caller
}

/** Identifies the caller by a key. `isGuess`: the lookup as a user token has failed already. */
async function authenticateKey(token: string, access: Access, isGuess: boolean): Promise<Caller> {
  if (!isPlausibleKey(token)) throw new InvalidToken('The access token is invalid', isGuess)
  const key = await access.keyByHash(hashKey(token))
  const company = key && (key.disabledAt ?? null) === null ? await access.company(key.companyId) : null
  if (!key || !company) throw new InvalidToken('The access token is invalid', true)
  return keyCaller(key, company)
}
