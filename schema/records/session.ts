import * as t from '../types.ts'

/** A user's session from sign-in to sign-out. */
export const session = t.object({
  /** SHA-256 hash of the session token, in hex. */
  id: t.sha256,
  companyId: t.text,
  userId: t.id,
  createdAt: t.instant,
  /** When the session ends, even if it is in use. */
  expiresAt: t.instant,
  /** When the session was last used; updated at intervals. */
  usedAt: t.instant,
})
export type SessionRecord = t.Infer<typeof session>
