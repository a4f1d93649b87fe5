import type { Records } from '../../processors/records/records.ts'
import type { AuthDeps } from '../auth/auth-deps.ts'
import { authenticateToken, InvalidToken } from '../auth/authenticate.ts'
import { looksLikeUserToken } from '../auth/user-token.ts'
import type { OAuthCheck } from './oauth.ts'

/** Who joined a channel. */
export interface LiveCaller {
  readonly companyId: string
  readonly scopes: readonly string[]
  /** Ids of the key, or of the user and the session, that it stands for; none: of nothing of ours. Their change is a reason to ask again. */
  readonly standsFor: readonly string[]
  /** Whether the token ends by itself. */
  readonly expires: boolean
}

/** Whom a token stands for; rejects with an `InvalidToken`, or otherwise where that can't be told now. */
export type TokenCheck = (token: string) => Promise<LiveCaller>

/** Takes API keys, user tokens, and access tokens of the OAuth provider that is configured. */
export function createTokenCheck(
  auth: AuthDeps,
  records: Pick<Records, 'company'>,
  oauth: OAuthCheck | null,
): TokenCheck {
  return async token => {
    try {
      const { id, session, scopes, company } = await authenticateToken(token, auth)
      const standsFor = session ? [id, session.id] : [id]
      return { companyId: company.id, scopes, standsFor, expires: looksLikeUserToken(token) }
    } catch (error) {
      const foreign = error instanceof InvalidToken && oauth !== null ? await oauth(token) : null
      const company = foreign && records.company(foreign.companyId)
      if (!foreign || !company) throw error
      return { companyId: company.id, scopes: foreign.scopes, standsFor: [], expires: true }
    }
  }
}
