import type { Access } from './access.ts'
import type { OAuthCheck } from './oauth.ts'
import type { SessionRules } from './session-rules.ts'

export interface AuthDeps {
  readonly access: Access
  readonly sessionRules: SessionRules
  /** Verifies access tokens of the OAuth provider; null: none is configured. */
  readonly oauth: OAuthCheck | null
  readonly clock: () => number
}
