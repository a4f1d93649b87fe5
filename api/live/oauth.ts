import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose'

/** The provider whose access tokens are taken. */
export interface OAuthSettings {
  /** Where its public keys are. */
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
  /** The claim that holds the id of the company. */
  readonly companyClaim: string
  /** The claim that holds the scopes: a text with spaces, or a list. */
  readonly scopesClaim: string
}

export interface OAuthCaller {
  readonly companyId: string
  readonly scopes: readonly string[]
}

/** Whom a token stands for; null: the provider gave out no such token, or it is out of time. Rejects where its keys can't be had. */
export type OAuthCheck = (token: string) => Promise<OAuthCaller | null>

/** Signatures by public keys alone: what a token says of itself decides nothing else. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export function createOAuthCheck({ jwksUrl, issuer, audience, ...claims }: OAuthSettings): OAuthCheck {
  const keys = createRemoteJWKSet(new URL(jwksUrl))
  return async token => {
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms, requiredClaims: ['exp'] })
      return callerOf(payload, claims)
    } catch (error) {
      if (isVerdict(error)) return null
      throw error
    }
  }
}

function isVerdict(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC'
  )
}

function callerOf(
  payload: JWTPayload,
  claims: Pick<OAuthSettings, 'companyClaim' | 'scopesClaim'>,
): OAuthCaller | null {
  const companyId = payload[claims.companyClaim]
  const scopes = payload[claims.scopesClaim]
  if (typeof companyId !== 'string') return null
  if (typeof scopes === 'string') return { companyId, scopes: scopes.split(' ') }
  return Array.isArray(scopes) ? { companyId, scopes: scopes.filter(scope => typeof scope === 'string') } : null
}
