import type { Records } from '../../processors/records/records.ts'
import { authenticateToken, InvalidToken } from '../auth/authenticate.ts'
import { isPlausibleKey, hashKey } from '../auth/key.ts'
import type { OAuthCheck } from './oauth.ts'

/** Who joined a channel. */
export interface LiveCaller {
  readonly companyId: string
  readonly scopes: readonly string[]
  /** The key that it stands for; null: no key of ours. A change of the key is a reason to ask again. */
  readonly keyId: string | null
  /** Whether the token ends by itself. */
  readonly expires: boolean
}

/** Whom a token stands for; rejects with an `InvalidToken`, or otherwise where that can't be told now. */
export type TokenCheck = (token: string) => Promise<LiveCaller>

/** Takes API keys, user tokens, and access tokens of the OAuth provider that is configured. */
export function createTokenCheck(
  records: Pick<Records, 'keyByHash' | 'company' | 'get'>,
  oauth: OAuthCheck | null,
): TokenCheck {
  return async token => {
    try {
      const { key, company } = authenticateToken(token, records)
      const expires = !isPlausibleKey(token) || records.keyByHash(hashKey(token)) === null
      return { companyId: company.id, scopes: key.scopes, keyId: key.id, expires }
    } catch (error) {
      const foreign = error instanceof InvalidToken && oauth !== null ? await oauth(token) : null
      const company = foreign && records.company(foreign.companyId)
      if (!foreign || !company) throw error
      return { companyId: company.id, scopes: foreign.scopes, keyId: null, expires: true }
    }
  }
}
