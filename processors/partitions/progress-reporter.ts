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

/** How far the partitions follow the records is stored this often: what came since is worked in again after a take-over. */
const storeOffsetsEveryMs = 10_000

/** Tells on the live topic how far the partitions of this process are, and stores how far their documents follow the records. */
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

  /** Hours of an owned partition that are to be computed; 0 for others. */
  dirtyHours(partition: number): number {
    const owned = this.#deps.owned.get(partition)
    return owned ? dirtyHoursOf(owned, this.#deps.alarmIds.due(partition)) : 0
  }

  /** Tells the others how far each partition is; without `always`, only where it has changed. */
  async report(always = false): Promise<void> {
    const progress = this.progress()
    const text = JSON.stringify(progress)
    if (!always && text === this.#reported) return
    // Should it fail, it is told again.
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
