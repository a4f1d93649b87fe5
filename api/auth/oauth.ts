import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose'
import { unavailable } from '../../schema/errors.ts'
import { scopes } from '../../schema/scopes.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { looksLikeJwt } from './jwt.ts'

/** The provider whose access tokens are taken. */
export interface OAuthSettings {
  /** Address of its public keys. */
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
  /** The claim that holds the id of the company. */
  readonly companyClaim: string
  /** The claim that holds the scopes: a text with spaces, or a list. */
  readonly scopesClaim: string
  /** Tolerated difference between the clocks of the provider and of this service, in seconds. */
  readonly leewayS: number
}

/** The person or program that an access token stands for. */
export interface OAuthSubject {
  /** The token's `sub`. */
  readonly subject: string
  /** Name for people: the token's name, or the next best that it has. */
  readonly name: string
  readonly companyId: string
  /** Scopes of the token that this service knows. */
  readonly scopes: readonly string[]
  /** Expiry of the token plus the leeway, UTC ms. */
  readonly endsAtMs: number
}

/**
 * Tells whom a token stands for; null: the provider did not issue such a token, or its time is over. Rejects with an
 * `ApiError` 503 where the keys of the provider cannot be had.
 */
export type OAuthCheck = (token: string) => Promise<OAuthSubject | null>

/** Algorithms of signatures that are taken, all of them with public keys. The token has no say in how it is checked. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const maxSubjectChars = 200
const maxNameChars = 200
/** Longest token, in characters: headers hold no more. */
const maxTokenChars = 16_384

export function createOAuthCheck({ jwksUrl, issuer, audience, leewayS, ...claims }: OAuthSettings): OAuthCheck {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: boundedFetch })
  return async token => {
    if (token.length > maxTokenChars || !looksLikeJwt(token)) return null
    try {
      const checks = { issuer, audience, algorithms, requiredClaims: ['exp'], clockTolerance: leewayS }
      const { payload } = await jwtVerify(token, keys, checks)
      // The library checks `exp` and `nbf`, but the time of issue only of tokens with a bounded age.
      if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + leewayS) return null
      return subjectOf(payload, claims, leewayS)
    } catch (error) {
      if (isVerdict(error)) return null
      throw unavailable('The provider of access tokens does not answer now', 2, error)
    }
  }
}

function isVerdict(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC'
  )
}

type Claims = Pick<OAuthSettings, 'companyClaim' | 'scopesClaim'>

function subjectOf(payload: JWTPayload, { companyClaim, scopesClaim }: Claims, leewayS: number): OAuthSubject | null {
  const { sub, exp } = payload
  const companyId = payload[companyClaim]
  const given = scopesOf(payload[scopesClaim])
  if (typeof sub !== 'string' || sub.length > maxSubjectChars || exp === undefined) return null
  if (typeof companyId !== 'string' || given === null) return null
  const held = scopes.filter(scope => given.includes(scope))
  return { subject: sub, name: nameOf(payload, sub), companyId, scopes: held, endsAtMs: (exp + leewayS) * 1000 }
}

function scopesOf(claim: unknown): readonly unknown[] | null {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim : null
}

/** Takes the first of OpenID's claims that is there. */
function nameOf(payload: JWTPayload, sub: string): string {
  const names = ['name', 'preferred_username', 'email', 'client_id'].map(claim => payload[claim])
  const name = names.find(value => typeof value === 'string' && value !== '')
  return typeof name === 'string' ? name.slice(0, maxNameChars) : sub
}
