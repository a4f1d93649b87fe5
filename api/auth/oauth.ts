import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose'
import { unavailable } from '../../schema/errors.ts'
import { scopes } from '../../schema/scopes.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { looksLikeJwt } from './key.ts'

/** The provider whose access tokens are accepted. */
export interface OAuthSettings {
  /** URL of its public keys (JWKS). */
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
  /** The claim that contains the id of the company. */
  readonly companyClaim: string
  /** The claim that contains the scopes: a string with spaces, or an array. */
  readonly scopesClaim: string
  /** Tolerated difference between the clocks of the provider and of this service, in seconds. */
  readonly leewayS: number
}

/** The user or program of an access token. */
export interface OAuthSubject {
  readonly subject: string
  /** Display name: the token's name, or the best alternative claim. */
  readonly name: string
  readonly companyId: string
  /** Scopes of the token that are valid in this service. */
  readonly scopes: readonly string[]
  /** Expiry of the token plus the leeway, UTC ms. */
  readonly endsAtMs: number
}

/** Verifies an access token; null: of another issuer, or expired. Rejects with 503 without the provider's keys. */
export type OAuthCheck = (token: string) => Promise<OAuthSubject | null>

/** Accepted signature algorithms, all with public keys; the token does not choose how it is verified. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const maxSubjectChars = 200
const maxNameChars = 200
/** Maximum length of a token in characters; headers are limited to that length. */
const maxTokenChars = 16_384

export function createOAuthCheck({ jwksUrl, issuer, audience, leewayS, ...claims }: OAuthSettings): OAuthCheck {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: boundedFetch })
  return async token => {
    if (token.length > maxTokenChars || !looksLikeJwt(token)) return null
    try {
      const checks = { issuer, audience, algorithms, requiredClaims: ['exp'], clockTolerance: leewayS }
      const { payload } = await jwtVerify(token, keys, checks)
      // jose checks `exp` and `nbf`, but `iat` only for tokens with a maximum age.
      if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + leewayS) return null
      return parseSubject(payload, claims, leewayS)
    } catch (error) {
      if (isVerdict(error)) return null
      throw unavailable('The OAuth provider is unavailable. Retry later.', 2, error)
    }
  }
}

function isVerdict(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC'
  )
}

type Claims = Pick<OAuthSettings, 'companyClaim' | 'scopesClaim'>

function parseSubject(
  payload: JWTPayload,
  { companyClaim, scopesClaim }: Claims,
  leewayS: number,
): OAuthSubject | null {
  const { sub, exp } = payload
  const companyId = payload[companyClaim]
  const claimed = parseScopes(payload[scopesClaim])
  if (typeof sub !== 'string' || sub.length > maxSubjectChars || exp === undefined) return null
  if (typeof companyId !== 'string' || claimed === null) return null
  const granted = scopes.filter(scope => claimed.includes(scope))
  return { subject: sub, name: nameOf(payload, sub), companyId, scopes: granted, endsAtMs: (exp + leewayS) * 1000 }
}

function parseScopes(claim: unknown): readonly unknown[] | null {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim : null
}

function nameOf(payload: JWTPayload, sub: string): string {
  const names = ['name', 'preferred_username', 'email', 'client_id'].map(claim => payload[claim])
  const name = names.find(value => typeof value === 'string' && value !== '')
  return typeof name === 'string' ? name.slice(0, maxNameChars) : sub
}
