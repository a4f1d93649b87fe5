import { id, instant, object, type Of, sha256, text } from '../types.ts'

/** A user's stay from signing in to signing out. */
export const session = object({
  /** SHA-256, hex, of the token that the browser has. */
  id: sha256,
  companyId: text,
  userId: id,
  createdAt: instant,
  /** When it ends, used or not. */
  expiresAt: instant,
  /** When it was last known to be in use; now and then renewed. */
  usedAt: instant,
})
export type SessionRecord = Of<typeof session>
