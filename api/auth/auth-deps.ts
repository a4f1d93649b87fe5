import type { Access } from './access.ts'
import type { SessionRules } from './session-rules.ts'

/** What it takes to tell who asks. */
export interface AuthDeps {
  readonly access: Access
  readonly sessionRules: SessionRules
  /** UTC ms. */
  readonly clock: () => number
}
