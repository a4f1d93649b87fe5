/** Offsets of the pipeline, read in the order of the data flow. */
export interface PipelineOffsets {
  readonly nowMs: number
  /** Offsets by partition of the samples topic: the end of the topic, and the offset that ingest has committed. */
  readonly samplesEnd: readonly number[]
  readonly samplesDone: readonly (number | null)[]
  /**
   * Offsets by partition of the state samples topic: the end of the topic, and the offset up to which the processor has
   * no work left.
   */
  readonly stateSamplesEnd: readonly number[]
  readonly stateSamplesClean: ReadonlyMap<number, number>
}

interface PendingMeasurement {
  readonly atMs: number
  readonly samplesEnd: readonly number[]
  /**
   * End of the state samples topic when ingest had passed `samplesEnd`: it includes all state samples of those samples.
   * null: ingest has not passed it.
   */
  stateSamplesEnd: readonly number[] | null
}

/** Limit of pending measurements; while all of them wait, no new ones are needed. */
const maxPending = 10_000

/**
 * Computes the watermark: the latest time up to which reports contain every accepted sample. It follows the current
 * time closely even if some samples are always pending.
 */
export class Watermark {
  #pending: readonly PendingMeasurement[] = []
  #atMs: number | null = null

  /** Adds a measurement of offsets; returns the age of the watermark in ms. */
  add({ nowMs, samplesEnd, samplesDone, stateSamplesEnd, stateSamplesClean }: PipelineOffsets): number {
    this.#atMs ??= nowMs
    if (this.#pending.length < maxPending)
      this.#pending = [...this.#pending, { atMs: nowMs, samplesEnd, stateSamplesEnd: null }]
    for (const pending of this.#pending) {
      if (pending.samplesEnd.every((end, partition) => (samplesDone[partition] ?? 0) >= end))
        pending.stateSamplesEnd ??= stateSamplesEnd
    }
    const isReached = (pending: PendingMeasurement) =>
      pending.stateSamplesEnd?.every((end, partition) => (stateSamplesClean.get(partition) ?? -1) >= end) ?? false
    const reached = this.#pending.findLast(isReached)
    if (reached) {
      this.#atMs = reached.atMs
      this.#pending = this.#pending.filter(({ atMs }) => atMs > reached.atMs)
    }
    return Math.max(0, nowMs - this.#atMs)
  }
}
