import * as client from 'openid-client'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { InvalidToken } from './authenticate.ts'
import { ProviderUnavailable } from './bounded-fetch.ts'

/** Error codes of an ID token that fails verification. */
const failedChecks: ReadonlySet<unknown> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
])

/**
 * Maps an error of the flow: to an `InvalidToken` if the user has to sign in again, otherwise to 503, whose cause is
 * logged without the bodies of the provider.
 */
export function verdictOf(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof InvalidToken) return error
  if (error instanceof client.AuthorizationResponseError)
    return new InvalidToken('The provider did not sign you in', false, error)
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
    return new InvalidToken('The provider did not confirm this sign-in. Start it again.', false, error)
  if (error instanceof client.ClientError && failedChecks.has(error.code))
    return new InvalidToken(`The identity of the provider failed verification (${error.code})`, false, error)
  return outageOf(error)
}

/** 503 for a failure of the provider or of the settings. */
export function outageOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const away = awayOf(error)
  const message = away
    ? 'The identity provider is unavailable. Retry later.'
    : 'The identity provider returned no valid response. Ask an IT admin to check the log.'
  return unavailable(message, 5, new Error(`OpenID Connect: ${away ? reasonOf(away) : kindOf(error)}`))
}

function awayOf(error: unknown): ProviderUnavailable | null {
  if (error instanceof ProviderUnavailable) return error
  return error instanceof Error ? awayOf(error.cause) : null
}

function reasonOf({ message, cause }: ProviderUnavailable): string {
  return bounded(cause instanceof Error ? `${message}: ${cause.message}` : message)
}

const maxKindChars = 300

function kindOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return bounded(`${error.code} ${error.error} (HTTP ${error.status})`)
  if (error instanceof client.WWWAuthenticateChallengeError) return bounded(`${error.code} (HTTP ${error.status})`)
  if (error instanceof client.ClientError)
    return bounded(`${error.code ?? ''} ${error.message}${statusOf(error.cause)}`)
  return error instanceof Error ? bounded(error.message) : 'unknown'
}

function statusOf(cause: unknown): string {
  return cause instanceof Response ? ` (HTTP ${cause.status})` : ''
}

function bounded(text: string): string {
  return text.trim().slice(0, maxKindChars)
}
