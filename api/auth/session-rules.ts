/** How long a session lasts. */
export interface SessionRules {
  /** After signing in, used or not. */
  readonly lifetimeMs: number
  /** After it was used last. */
  readonly idleMs: number
}

export const defaultSessionRules: SessionRules = { lifetimeMs: 7 * 86_400_000, idleMs: 12 * 3_600_000 }
