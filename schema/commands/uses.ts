import type { CompanyRef } from '../refs.ts'

/** A record that may be in use by records that are not in memory. */
export type UsedRecord = { readonly companyId: string } & (
  | { readonly kind: 'downtimeReason' | 'partAdjustmentType'; readonly id: number }
  | { readonly kind: 'operator'; readonly id: string }
  | { readonly kind: 'jobOperation'; readonly id: string; readonly ref: number; readonly companyRef: CompanyRef }
)

/** Maximum number of records in `Uses.first`. */
export const maxFirstUses = 5

/** The records that refer to another one. */
export interface Uses {
  readonly count: number
  /** The first ones by their start; job runs by the order of their creation. */
  readonly first: readonly Use[]
}

export interface Use {
  readonly id: string
  /** Empty for job runs. */
  readonly machineId: string
  /** Start, or time of a part adjustment, UTC ms. */
  readonly startMs: number
}
