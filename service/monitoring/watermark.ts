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

/** Pending measurements are this part of the age of the watermark apart, except the last: a backlog of a year has about 2,000. */
const spacing = 1 / 100

/**
 * Computes the watermark: the latest time up to which documents contain every accepted sample. It follows the current
 * time closely even if some samples are always pending, provided that measurements are frequent.
 */
export class Watermark {
  #pending: PendingMeasurement[] = []
  #firstMs: number | null = null
  #reachedMs: number | null = null

  /** The watermark, UTC ms; null: no measurement shows it yet. */
  get reachedMs(): number | null {
    return this.#reachedMs
  }

  /** Adds a measurement of offsets; returns the age of the watermark, or of the first measurement, in ms. */
  add({ nowMs, samplesEnd, samplesDone, stateSamplesEnd, stateSamplesClean }: PipelineOffsets): number {
    this.#firstMs ??= nowMs
    this.#removeCloseLast(nowMs)
    this.#pending.push({ atMs: nowMs, samplesEnd, stateSamplesEnd: null })
    for (const pending of this.#pending) {
      if (pending.stateSamplesEnd) continue
      if (!pending.samplesEnd.every((end, partition) => (samplesDone[partition] ?? 0) >= end)) break
      pending.stateSamplesEnd = stateSamplesEnd
    }
    const isReached = ({ stateSamplesEnd: ends }: PendingMeasurement) =>
      ends?.every((end, partition) => (stateSamplesClean.get(partition) ?? -1) >= end) ?? false
    const reached = this.#pending.findLast(isReached)
    if (reached) {
      // Another measurement may have begun later and ended earlier.
      this.#reachedMs = Math.max(reached.atMs, this.#reachedMs ?? reached.atMs)
      this.#pending = this.#pending.filter(({ atMs }) => atMs > reached.atMs)
    }
    return Math.max(0, nowMs - (this.#reachedMs ?? this.#firstMs))
  }

  #removeCloseLast(nowMs: number): void {
    const [before, last] = this.#pending.slice(-2)
    const ageMs = nowMs - (this.#reachedMs ?? this.#firstMs ?? nowMs)
    if (before && last && last.atMs - before.atMs < ageMs * spacing) this.#pending.pop()
  }
}
