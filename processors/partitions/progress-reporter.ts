import type { Log } from '../../log/log.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import { topics, type Progress } from '../../schema/topics.ts'
import type { AlarmIdRequester } from '../alarms/alarm-id-requester.ts'
import type { Records } from '../records/records.ts'
import { liveRecord } from './live-record.ts'
import { dirtyHoursOf, progressOf, type OwnedPartition } from './owned-partition.ts'

export interface ProgressReporterDeps {
  readonly log: Pick<Log, 'append'>
  readonly store: Pick<DocumentStore, 'writeRecordsOffsets'>
  readonly records: Pick<Records, 'offset'>
  readonly alarmIds: Pick<AlarmIdRequester, 'due'>
  readonly owned: ReadonlyMap<number, OwnedPartition>
}

/**
 * Interval at which the progress of the partitions in the records is stored: later changes are processed again after a
 * take-over.
 */
const storeOffsetsEveryMs = 10_000

/**
 * Publishes the progress of this process's partitions on the live topic, and stores up to which change of the records
 * their documents are complete.
 */
export class ProgressReporter {
  readonly #deps: ProgressReporterDeps
  #storedOffsetsAtMs = -Infinity
  #reported = ''

  constructor(deps: ProgressReporterDeps) {
    this.#deps = deps
  }

  /** How far each owned partition is. */
  progress(): readonly Progress[] {
    const { owned, alarmIds, records } = this.#deps
    return [...owned.values()].map(each => progressOf(each, alarmIds.due(each.number), records.offset))
  }

  /** Pending hours of an owned partition; 0 for a partition of another process. */
  dirtyHours(partition: number): number {
    const owned = this.#deps.owned.get(partition)
    return owned ? dirtyHoursOf(owned, this.#deps.alarmIds.due(partition)) : 0
  }

  /** Publishes the progress of each partition; without `always`, only changes. */
  async report(always = false): Promise<void> {
    const progress = this.progress()
    const text = JSON.stringify(progress)
    if (!always && text === this.#reported) return
    // If it fails, it is retried.
    this.#reported = ''
    if (progress.length > 0)
      await this.#deps.log.append(
        topics.live,
        progress.map(of => liveRecord({ kind: 'progress', ...of })),
      )
    await this.#storeRecordsOffsets()
    this.#reported = text
  }

  /** Once nothing is left to do, the documents of a partition are known to follow the records. */
  async #storeRecordsOffsets(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#storedOffsetsAtMs < storeOffsetsEveryMs) return
    const done = [...this.#deps.owned.values()]
      .filter(hasNewRecordsOffset)
      .map(owned => ({ owned, to: owned.recordsOffset }))
    if (done.length === 0) return
    this.#storedOffsetsAtMs = nowMs
    await this.#deps.store.writeRecordsOffsets(
      done.map(({ owned, to }) => ({
        partition: owned.number,
        recordsOffset: to,
        version: BigInt(owned.fence) << 40n,
      })),
    )
    for (const { owned, to } of done) owned.storedRecordsOffset = to
  }
}

/** Whether nothing is left to do up to an offset of the records that the store does not know of. */
function hasNewRecordsOffset({ partition, promotions, changes, recordsOffset, storedRecordsOffset }: OwnedPartition) {
  const isDone = partition.dirtyHours === 0 && promotions.size === 0 && changes.size === 0
  return isDone && recordsOffset > storedRecordsOffset
}
