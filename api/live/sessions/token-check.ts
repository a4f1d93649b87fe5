import type { Records } from '../../../processors/records/records.ts'
import type { AuthDeps } from '../../auth/session.ts'
import { authenticateToken, InvalidToken } from '../../auth/authenticate.ts'
import { hashKey } from '../../auth/key.ts'
import type { Throttle } from '../../auth/throttle.ts'

/** The caller that joined a channel. */
export interface LiveCaller {
  readonly companyId: string
  readonly scopes: readonly string[]
  /**
   * Ids of the key, of the user and the session, or of the OAuth subject on which the token depends. A change of one
   * requires a new verification.
   */
  readonly standsFor: readonly string[]
  /** Expiry of the token, UTC ms; null: never. */
  readonly tokenEndsAtMs: number | null
}

/**
 * Returns the caller of a token; rejects with an `InvalidToken`, or with another error if the token cannot be verified.
 * `address`: address of the client, whose failed attempts count with those of its requests (429 if there are too many);
 * null: the token was valid before.
 */
export type TokenCheck = (token: string, address: string | null) => Promise<LiveCaller>

export interface TokenCheckDeps extends AuthDeps {
  readonly records: Pick<Records, 'keyByHash'>
  readonly guesses: Throttle
}

/** Throws if the token has expired: this is known without verification. */
export function rejectExpired({ tokenEndsAtMs }: Pick<LiveCaller, 'tokenEndsAtMs'>, nowMs: number): void {
  if (tokenEndsAtMs !== null && tokenEndsAtMs <= nowMs) throw new InvalidToken('Access token expired')
}

/** Creates the check of API keys, user tokens, and access tokens of the configured OAuth provider. */
export function createTokenCheck(deps: TokenCheckDeps): TokenCheck {
  const { records, guesses } = deps
  const check = async (token: string): Promise<LiveCaller> => {
    const { id, session, scopes, company, tokenEndsAtMs } = await authenticateToken(token, deps)
    const standsFor = session ? [id, session.id] : [id]
    return { companyId: company.id, scopes, standsFor, tokenEndsAtMs }
  }
  return async (token, address) => {
    if (address === null) return check(token)
    // A known key is verified regardless of the guesses from its address.
    if (records.keyByHash(hashKey(token)) === null) await guesses.requireAttempts(address)
    try {
      return await check(token)
    } catch (error) {
      if (error instanceof InvalidToken && error.isGuess) await guesses.count(address)
      throw error
    }
  }
}
