/** Offsets of the pipeline, read in the order of the flow. */
export interface PipelineOffsets {
  readonly nowMs: number
  /** Offsets by samples partition: the end of what was accepted, and of what ingest has done. */
  readonly samplesEnd: readonly number[]
  readonly samplesDone: readonly (number | null)[]
  /** Offsets by partition of state samples: the end, and up to where the processors had nothing left to do. */
  readonly stateSamplesEnd: readonly number[]
  readonly stateSamplesClean: ReadonlyMap<number, number>
}

interface Moment {
  readonly atMs: number
  readonly samplesEnd: readonly number[]
  /** Set once ingest has been past `samplesEnd`: every state sample of it lies before here. */
  stateSamplesEnd: readonly number[] | null
}

/** Moments remembered; while all of them wait, no new ones are needed. */
const most = 10_000

/**
 * Finds the watermark: the newest moment up to which every accepted sample is in the reports. Under a steady flow some samples
 * are always on their way, and yet the watermark follows close behind.
 */
export class Watermark {
  #moments: readonly Moment[] = []
  #atMs: number | null = null

  /** Takes a reading; answers the age of the watermark, ms. */
  take({ nowMs, samplesEnd, samplesDone, stateSamplesEnd, stateSamplesClean }: PipelineOffsets): number {
    this.#atMs ??= nowMs
    if (this.#moments.length < most)
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
