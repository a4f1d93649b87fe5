import type { LiveProgress } from '../../processors/partitions/owned-partition.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { type OffsetReading, readOffsets, type ReadOffsetsDeps } from './read-offsets.ts'
import { Watermark } from './watermark.ts'

export interface CompleteTimesDeps extends ReadOffsetsDeps {
  /** Progress of the partitions of state samples that this process owns. */
  readonly progress: () => ReadonlyMap<number, LiveProgress>
  /** Minimum time between reads of the offsets, ms. */
  readonly minReadIntervalMs: number
}

/**
 * Measures how far the documents of each owned partition are complete. A measurement shows this for the times of earlier
 * ones, so that frequent measurements give late times.
 */
export class CompleteTimes {
  readonly #deps: CompleteTimesDeps
  /** By the progress of an owned partition, which is another one after each take-over. */
  readonly #watermarks = new WeakMap<LiveProgress, { readonly watermark: Watermark; readonly sinceMs: number }>()
  #read: Promise<OffsetReading> | null = null
  #readAtMs = -Infinity

  constructor(deps: CompleteTimesDeps) {
    this.#deps = deps
  }

  /**
   * Resolves to the newest instant, UTC ms, before which every appended sample of a partition is in the documents, by
   * partition; a partition is missing until an instant is known. Rejects if the log fails.
   */
  async measure(): Promise<ReadonlyMap<number, number>> {
    const complete = new Map<number, number>()
    for (const [partition, { owned, reachedMs }] of await this.#add())
      if (reachedMs !== null) complete.set(partition, Math.min(reachedMs, owned.liveSinceMs ?? Infinity))
    return complete
  }

  /** Adds a measurement, which shows later how far documents are complete. Rejects if the log fails. */
  async add(): Promise<void> {
    await this.#add()
  }

  async #add() {
    const { reading, forwardedTo } = await this.#readOffsets()
    // After the offsets of the log: the documents contain at least the samples of this progress.
    const progress = this.#deps.progress()
    const reached = new Map<number, { readonly owned: LiveProgress; readonly reachedMs: number | null }>()
    for (const [partition, owned] of progress) {
      const create = () => ({ watermark: new Watermark(), sinceMs: this.#deps.clock() })
      const { watermark, sinceMs } = getOrCreate(this.#watermarks, owned, create)
      // The previous owner may have measured a later time than an earlier reading shows.
      if (reading.nowMs < sinceMs) continue
      const stateSamplesEnd = [reading.stateSamplesEnd[partition] ?? 0]
      const stateSamplesClean = new Map([[0, owned.liveOffset]])
      watermark.add({ ...reading, samplesDone: forwardedTo, stateSamplesEnd, stateSamplesClean })
      reached.set(partition, { owned, reachedMs: watermark.reachedMs })
    }
    return reached
  }

  /** Reads the offsets, or returns those of a recent read. */
  async #readOffsets(): Promise<OffsetReading> {
    const nowMs = performance.now()
    if (this.#read && nowMs - this.#readAtMs < this.#deps.minReadIntervalMs) return this.#read
    this.#readAtMs = nowMs
    this.#read = readOffsets(this.#deps)
    return this.#read
  }
}
