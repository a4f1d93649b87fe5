import type { CompanyRef } from '../refs.ts'

/**
 * A record that may be in use by records that are not in memory: by those with a time; a machine group, by work centers
 * of job operations.
 */
export type UsedRecord = { readonly companyId: string } & (
  | { readonly kind: 'downtimeReason' | 'partAdjustmentType'; readonly id: number }
  | { readonly kind: 'operator' | 'machineGroup'; readonly id: string }
  | { readonly kind: 'jobOperation'; readonly id: string; readonly ref: number; readonly companyRef: CompanyRef }
)

/** Maximum number of records in `Uses.first`. */
export const maxFirstUses = 5

/** The records that refer to another one. */
export interface Uses {
  readonly count: number
  /** The first ones by their start; job runs and operations by the order of their creation. */
  readonly first: readonly Use[]
}

export interface Use {
  /** The joined names of a job operation. */
  readonly id: string
  /** Empty for job runs and operations. */
  readonly machineId: string
  /** Start, or time of a part adjustment, UTC ms; 0 for job operations. */
  readonly startMs: number
}
