import type { Access } from './access.ts'
import type { OAuthCheck } from './oauth.ts'
import type { SessionRules } from './session-rules.ts'

/** Parts of the process that authentication needs. */
export interface AuthDeps {
  readonly access: Access
  readonly sessionRules: SessionRules
  /** Checks the provider's access tokens; null: none is configured. */
  readonly oauth: OAuthCheck | null
  /** UTC ms. */
  readonly clock: () => number
}
