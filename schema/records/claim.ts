import * as t from '../types.ts'

/** A processor's claim of a partition of state samples. */
export const claim = t.object({
  /** `state-samples/<partition>` */
  id: t.text,
  owner: t.text,
  /**
   * Increases with every claim: documents that were written under a lower fence never replace documents of a higher
   * one.
   */
  fence: t.int,
})
export type ClaimRecord = t.Infer<typeof claim>
