import { createSecretKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { CompanyRecord } from '../../schema/records/company.ts'
import { scopes } from '../../schema/scopes.ts'
import { type AuthDeps, liveSession } from './session.ts'
import { type Caller, keyCaller, subjectCaller, subjectIdPrefix } from './caller.ts'
import { looksLikeJwt } from './key.ts'
import { anyOf, permits } from './scopes.ts'

/** A link contains this token instead of a key or session. It cannot manage keys and users. */
export const userTokenLifetimeMs = 3_600_000

/** Fixed, because the token must not choose how it is verified. */
const algorithm = 'HS256'
const issuer = 'takt'
const clockSkewMs = 60_000
const maxLength = 4096
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Issues a token for a key, session or other token, with whose expiry it ends. The company must have its secret. */
export function issueUserToken(
  {
    id,
    name,
    scopes,
    session,
    company,
    tokenEndsAtMs,
  }: Pick<Caller, 'id' | 'name' | 'scopes' | 'session' | 'company' | 'tokenEndsAtMs'>,
  nowMs: number,
): string {
  const secret = findSecret(company)
  if (secret === null) throw new Error('invariant: the company has no secret for tokens')
  const issuedAt = Math.floor(nowMs / 1000)
  const endsAtMs = Math.min(issuedAt * 1000 + userTokenLifetimeMs, tokenEndsAtMs ?? Infinity)
  const times = { iat: issuedAt, exp: endsAtMs / 1000 }
  const named = id.startsWith(subjectIdPrefix) ? { name } : {}
  const payload = { company: company.id, scopes, ...(session && { session: session.id }), ...named, ...times }
  return jwt.sign(payload, secret, { algorithm, issuer, subject: id })
}

/** Whether a text has the form of a user token. */
export function looksLikeUserToken(token: string): boolean {
  return token.length <= maxLength && looksLikeJwt(token)
}

/** The caller of a user token, with scopes that its owner still has; null: invalid. Rejects with 503 if unreadable. */
export async function verifyUserToken(token: string, deps: AuthDeps): Promise<Caller | null> {
  if (!looksLikeUserToken(token)) return null
  // Decoded without verification, only to find the company whose secret verifies the token.
  const claimed = parseClaims(() => jwt.decode(token))
  const company = claimed && uuid.test(claimed.company) ? await deps.access.companyWithSecret(claimed.company) : null
  const secret = company && findSecret(company)
  if (!company || !secret) return null
  const clockTimestamp = Math.floor(deps.clock() / 1000)
  const checks: jwt.VerifyOptions & { readonly complete?: false } = {
    algorithms: [algorithm],
    issuer,
    clockTimestamp,
    maxAge: userTokenLifetimeMs / 1000,
  }
  const claims = parseClaims(() => jwt.verify(token, secret, checks))
  // A token with a future time of issue would be valid for longer than an hour.
  if (claims && claims.issuedAtMs > deps.clock() + clockSkewMs) return null
  const caller = claims && (await findCaller(claims, company, deps))
  if (!claims || caller?.company.id !== company.id) return null
  const common = scopes.filter(scope => [claims, caller].every(each => permits(anyOf(scope), each.scopes)))
  return { ...caller, scopes: common, tokenEndsAtMs: claims.endsAtMs, signedIn: null }
}

async function findCaller(claims: Claims, company: CompanyRecord, deps: AuthDeps): Promise<Caller | null> {
  const { id, session } = claims
  // OAuth subjects have no record. While the provider is configured, the token is as valid as the access token that
  // requested it.
  if (id.startsWith(subjectIdPrefix)) return deps.oauth ? subjectCaller({ ...claims, id }, company) : null
  if (session !== null) return liveSession({ userId: id, sessionId: session }, deps)
  const key = await deps.access.key(id)
  return key?.companyId === company.id && (key.disabledAt ?? null) === null ? keyCaller(key, company) : null
}

interface Claims {
  readonly company: string
  /** Id of the key, of the session's user, or of the OAuth subject (with `subjectIdPrefix`). */
  readonly id: string
  /** Id of the session; null: the token is of a key or of an OAuth subject. */
  readonly session: string | null
  readonly name: string
  readonly scopes: readonly string[]
  readonly issuedAtMs: number
  readonly endsAtMs: number
}

/** The claims of a token; null: invalid, or not of this service. */
function parseClaims(read: () => unknown): Claims | null {
  const payload = readOrNull(read)
  if (typeof payload !== 'object' || payload === null) return null
  const {
    company,
    sub,
    session = null,
    name,
    scopes: granted,
    iat,
    exp,
  }: Readonly<Record<string, unknown>> = { ...payload }
  if (typeof company !== 'string' || typeof sub !== 'string' || !Array.isArray(granted)) return null
  if (session !== null && typeof session !== 'string') return null
  if (typeof iat !== 'number' || typeof exp !== 'number') return null
  return {
    company,
    id: sub,
    session,
    name: typeof name === 'string' ? name : sub,
    scopes: granted.filter(scope => typeof scope === 'string'),
    issuedAtMs: iat * 1000,
    endsAtMs: Math.min(exp * 1000, iat * 1000 + userTokenLifetimeMs),
  }
}

function readOrNull(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return null
    throw error
  }
}

function findSecret({ tokenSecret }: CompanyRecord): KeyObject | null {
  return tokenSecret === undefined ? null : createSecretKey(tokenSecret, 'hex')
}
