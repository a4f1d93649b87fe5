/** Offsets of the pipeline, read in the order of the flow. */
export interface PipelineOffsets {
  readonly nowMs: number
  /** Offsets by samples partition: the end of the topic, and those that ingest has committed. */
  readonly samplesEnd: readonly number[]
  readonly samplesDone: readonly (number | null)[]
  /**
   * Offsets by partition of state samples: the end of the topic, and those up to which processors have no work left.
   */
  readonly stateSamplesEnd: readonly number[]
  readonly stateSamplesClean: ReadonlyMap<number, number>
}

interface Moment {
  readonly atMs: number
  readonly samplesEnd: readonly number[]
  /** Set when ingest has passed `samplesEnd`: all its state samples are before this offset. */
  stateSamplesEnd: readonly number[] | null
}

/** Limit of pending readings; while all of them wait, no new ones are needed. */
const maxPending = 10_000

/**
 * Finds the watermark: the latest time up to which reports contain every accepted sample. Under a steady flow some
 * samples are always pending, and the watermark still follows closely.
 */
export class Watermark {
  #moments: readonly Moment[] = []
  #atMs: number | null = null

  /** Adds a reading; returns the age of the watermark in ms. */
  take({ nowMs, samplesEnd, samplesDone, stateSamplesEnd, stateSamplesClean }: PipelineOffsets): number {
    this.#atMs ??= nowMs
    if (this.#moments.length < maxPending)
      this.#moments = [...this.#moments, { atMs: nowMs, samplesEnd, stateSamplesEnd: null }]
    for (const moment of this.#moments) {
      if (moment.samplesEnd.every((end, partition) => (samplesDone[partition] ?? 0) >= end))
        moment.stateSamplesEnd ??= stateSamplesEnd
    }
    const isReached = (moment: Moment) =>
      moment.stateSamplesEnd?.every((end, partition) => (stateSamplesClean.get(partition) ?? -1) >= end) ?? false
    const reached = this.#moments.findLast(isReached)
    if (reached) {
      this.#atMs = reached.atMs
      this.#moments = this.#moments.filter(({ atMs }) => atMs > reached.atMs)
    }
    return Math.max(0, nowMs - this.#atMs)
  }
}
