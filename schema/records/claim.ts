import { int, object, type Of, text } from '../types.ts'

/** A processor's claim of a partition of state samples. */
export const claim = object({
  /** `state-samples/<partition>` */
  id: text,
  owner: text,
  /** Rises with every claim (given out like a `ref`): documents written under an older fence always lose. */
  fence: int,
})
export type ClaimRecord = Of<typeof claim>
