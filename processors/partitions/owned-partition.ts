import type { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Progress } from '../../schema/topics.ts'
import type { Partition } from './partition.ts'
import type { PendingPromotions } from './promotions.ts'
import type { ChangeQueue } from './record-changes.ts'

/** A partition of state samples while this process owns it. */
export interface OwnedPartition {
  readonly number: number
  readonly partition: Partition
  readonly promotions: PendingPromotions
  /** Changes of records on their way into the partition. */
  readonly changes: ChangeQueue
  readonly fence: number
  /** Up to where the topic of state samples is committed. */
  committedOffset: number
  /** The records offset that the store knows of, and the one of the last change that the partition was handed. */
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

/** Number of pending documents until they include all consumed samples; rebuilds do not count. */
export function dirtyHoursOf({ partition, promotions }: OwnedPartition, dueAlarms: number): number {
  return partition.dirtyHours + promotions.size + dueAlarms
}

/** How far the partition is; `recordsOffset` is how far this process follows the records. */
export function progressOf(owned: OwnedPartition, dueAlarms: number, recordsOffset: number): Progress {
  const { number, partition, changes } = owned
  return {
    partition: number,
    nextOffset: partition.nextOffset,
    liveOffset: partition.liveOffset,
    dirtyHours: dirtyHoursOf(owned, dueAlarms),
    liveDirtyHours: partition.liveDirtyHours,
    staleDays: partition.staleDays,
    rebuilds: partition.rebuilds,
    // Entries that touch no document move the offset, too.
    recordsOffset: changes.size === 0 ? recordsOffset : owned.recordsOffset,
  }
}
