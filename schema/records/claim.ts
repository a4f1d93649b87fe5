import { int, object, type Of, text } from '../types.ts'

/** A processor's claim of a facts partition. */
export const claim = object({
  /** `facts/<partition>` */
  id: text,
  owner: text,
  /** Rises with every claim (given out like a `ref`): documents written under an older fence always lose. */
  fence: int,
})
export type ClaimRecord = Of<typeof claim>
