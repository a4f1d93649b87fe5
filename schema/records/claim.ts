import { int, object, type Infer, text } from '../types.ts'

/** A processor's claim of a partition of state samples. */
export const claim = object({
  /** `state-samples/<partition>` */
  id: text,
  owner: text,
  /**
   * Increases with every claim: documents that were written under a lower fence never replace documents of a higher
   * one.
   */
  fence: int,
})
export type ClaimRecord = Infer<typeof claim>
