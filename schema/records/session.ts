import { id, instant, object, type Infer, sha256, text } from '../types.ts'

/** A user's session from sign-in to sign-out. */
export const session = object({
  /** SHA-256 hash of the session token, in hex. */
  id: sha256,
  companyId: text,
  userId: id,
  createdAt: instant,
  /** When the session ends, even if it is in use. */
  expiresAt: instant,
  /** When the session was last used; updated at intervals. */
  usedAt: instant,
})
export type SessionRecord = Infer<typeof session>
