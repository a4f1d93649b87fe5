import type { Log } from '../../log/log.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import { topics, type Progress } from '../../schema/topics.ts'
import type { AlarmIdRequester } from '../alarms/alarm-id-requester.ts'
import type { Records } from '../records/records.ts'
import { liveRecord } from './live-record.ts'
import type { OwnedPartition } from './owned-partition.ts'

/** Maximum number of entries without effect on documents after the stored offset, which a start reads. */
const maxUnstoredEntries = 1_000

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

  /** Number of pending documents of a partition until they include all consumed samples; rebuilds do not count. */
  dirtyHours(number: number): number {
    const owned = this.#deps.owned.get(number)
    return owned ? owned.partition.tracks.dirtyHours + owned.promotions.size + this.#deps.alarmIds.due(number) : 0
  }

  #progressOf(owned: OwnedPartition): Progress {
    const { number, partition } = owned
    return {
      partition: number,
      nextOffset: partition.batches.nextOffset,
      liveOffset: partition.liveOffset,
      dirtyHours: this.dirtyHours(number),
      liveDirtyHours: partition.liveDirtyHours,
      liveSinceMs: partition.liveSinceMs,
      staleDays: partition.days.staleDays,
      rebuilds: partition.rebuilds.progress,
      recordsOffset: this.#recordsOffsetOf(owned),
    }
  }

  /** Entries that touch no document move the offset, too. */
  #recordsOffsetOf({ changes, recordsOffset }: OwnedPartition): number {
    return changes.size === 0 ? this.#deps.records.offset : recordsOffset
  }

  /** Publishes the progress of each partition; without `always`, only changes. */
  async report(always = false): Promise<void> {
    const progress = [...this.#deps.owned.values()].map(each => this.#progressOf(each))
    const text = JSON.stringify(progress)
    if (!always && text === this.#reported) return
    // If it fails, it is retried.
    this.#reported = ''
    const records = progress.map(of => liveRecord({ kind: 'progress', ...of }))
    if (records.length > 0) await this.#deps.log.append(topics.live, records)
    await this.#storeRecordsOffsets()
    this.#reported = text
  }

  /** Stores the offsets of partitions without pending work: their documents include all changes up to them. */
  async #storeRecordsOffsets(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#storedOffsetsAtMs < storeOffsetsEveryMs) return
    const done = [...this.#deps.owned.values()]
      .filter(isDone)
      .map(owned => ({ owned, partition: owned.number, recordsOffset: this.#recordsOffsetOf(owned) }))
      .filter(({ owned, recordsOffset }) => isWorthStoring(owned, recordsOffset))
    if (done.length === 0) return
    this.#storedOffsetsAtMs = nowMs
    await this.#deps.store.writeRecordsOffsets(
      done.map(({ owned, ...offset }) => ({ ...offset, version: BigInt(owned.fence) << 40n })),
    )
    for (const { owned, recordsOffset } of done) owned.storedRecordsOffset = recordsOffset
  }
}

/** Whether the documents of a partition include all changes of records that it received. */
function isDone({ partition, promotions, changes }: OwnedPartition): boolean {
  return partition.tracks.dirtyHours === 0 && promotions.size === 0 && changes.size === 0
}

/** Whether documents depend on changes after the stored offset, or a start would have to read many entries after it. */
function isWorthStoring(
  { recordsOffset: lastNeeded, storedRecordsOffset }: OwnedPartition,
  recordsOffset: number,
): boolean {
  return lastNeeded > storedRecordsOffset || recordsOffset > storedRecordsOffset + maxUnstoredEntries
}
