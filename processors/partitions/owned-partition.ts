import type { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Partition } from './partition.ts'
import type { PendingPromotions } from './promotions.ts'
import type { ChangeQueue } from './record-changes.ts'

/** How far the live hours of a partition contain its state samples and records. */
export type LiveProgress = Pick<Partition, 'liveOffset' | 'liveSinceMs'>

/** A partition of state samples while this process owns it. */
export interface OwnedPartition {
  readonly number: number
  readonly partition: Partition
  readonly promotions: PendingPromotions
  /** Changes of records that wait for the partition. */
  readonly changes: ChangeQueue
  readonly fence: number
  /** Committed offset of the topic of state samples. */
  committedOffset: number
  /** The stored records offset, and that of the last change that was applied to the partition. */
  storedRecordsOffset: number
  recordsOffset: number
  /** Attempts to compute or write its documents that fail. */
  readonly documentsFailure: RepeatedFailure
  /** Attempts to process a change of records that fail. */
  readonly changesFailure: RepeatedFailure
  /** Aborts when the partition goes to another owner. */
  readonly released: AbortController
  /** Whether it processes a batch, or waits for the next one. */
  isConsuming: boolean
}
