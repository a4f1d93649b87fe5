/** Limits of a session's lifetime. */
export interface SessionRules {
  /** From sign-in, whether it is used or not. */
  readonly lifetimeMs: number
  /** From its last use. */
  readonly idleMs: number
}

export const defaultSessionRules: SessionRules = { lifetimeMs: 7 * 86_400_000, idleMs: 12 * 3_600_000 }
