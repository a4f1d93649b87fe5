import { createSecretKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Records } from '../../processors/records/records.ts'
import type { CompanyRecord, KeyRecord } from '../../schema/records.ts'
import { scopes } from '../../schema/scopes.ts'
import { anyOf, permits } from './scopes.ts'

/** A user token stands for the key that asked for it, for an hour: so that a link can carry it without carrying the key. */
export const userTokenLifetimeMs = 3_600_000

/** Fixed: what a token says of itself decides nothing. */
const algorithm = 'HS256'
const issuer = 'takt'
const maxLength = 4096

/** A token for a key: it names the key and its company and carries the key's scopes. The company must have its secret. */
export function issueUserToken(
  { key, company }: { readonly key: KeyRecord; readonly company: CompanyRecord },
  nowMs: number,
): string {
  const secret = secretOf(company)
  if (secret === null) throw new Error('invariant: the company has no secret for tokens')
  const issuedAt = Math.floor(nowMs / 1000)
  const payload = { company: company.id, scopes: key.scopes, iat: issuedAt, exp: issuedAt + userTokenLifetimeMs / 1000 }
  return jwt.sign(payload, secret, { algorithm, issuer, subject: key.id })
}

/**
 * Whom a token stands for; null where it is no token of ours, is out of time, or its key is gone. What may be done is what the
 * token says and the key still may: scopes taken from a key are gone from its tokens at once.
 */
export function verifyUserToken(
  token: string,
  records: Pick<Records, 'company' | 'get'>,
  nowMs: number,
): { readonly key: KeyRecord; readonly company: CompanyRecord } | null {
  if (token.length > maxLength || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null
  // Says only whose secret to check it with.
  const claimed = claimsOf(() => jwt.decode(token))
  const company = claimed && records.company(claimed.company)
  const secret = company && secretOf(company)
  if (!company || !secret) return null
  const clockTimestamp = Math.floor(nowMs / 1000)
  const claims = claimsOf(() => jwt.verify(token, secret, { algorithms: [algorithm], issuer, clockTimestamp }))
  const key = claims && records.get('key', company.id, claims.key)
  if (!claims || !key) return null
  return { key: { ...key, scopes: commonScopes(claims.scopes, key.scopes) }, company }
}

interface Claims {
  readonly company: string
  readonly key: string
  readonly scopes: readonly string[]
}

/** null: the library refuses the token, or it is none of ours. */
function claimsOf(read: () => unknown): Claims | null {
  const payload = readOrNull(read)
  if (typeof payload !== 'object' || payload === null) return null
  const { company, sub, scopes: held }: { company?: unknown; sub?: unknown; scopes?: unknown } = payload
  if (typeof company !== 'string' || typeof sub !== 'string' || !Array.isArray(held)) return null
  return { company, key: sub, scopes: held.filter(scope => typeof scope === 'string') }
}

function readOrNull(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof jwt.JsonWebTokenError || error instanceof SyntaxError) return null
    throw error
  }
}

/** What both permit. */
function commonScopes(token: readonly string[], key: readonly string[]): readonly string[] {
  return scopes.filter(scope => permits(anyOf(scope), token) && permits(anyOf(scope), key))
}

function secretOf({ tokenSecret }: CompanyRecord): KeyObject | null {
  return tokenSecret === undefined ? null : createSecretKey(tokenSecret, 'hex')
}
