import { maxClockSkewMs } from '../../schema/connector-health.ts'

/** Number of readings whose median is the skew. */
const window = 20

/** Difference of the clock of a source or machine and the own clock: the median of the last readings. */
export class ClockSkew {
  readonly #skewsMs: number[] = []

  /** Adds a reading of the other clock. Both times are UTC ms. */
  add(sourceMs: number, receivedMs: number): void {
    this.#skewsMs.push(sourceMs - receivedMs)
    if (this.#skewsMs.length > window) this.#skewsMs.shift()
  }

  /** The last reading, ms that the other clock is ahead; null: it was not read. */
  get lastMs(): number | null {
    return this.#skewsMs.at(-1) ?? null
  }

  /** Milliseconds that the other clock is ahead; null: it was not read. */
  get skewMs(): number | null {
    const sorted = this.#skewsMs.toSorted((a, b) => a - b)
    const middle = sorted[Math.floor(sorted.length / 2)]
    return middle === undefined ? null : Math.round(middle)
  }

  /** Returns the offset that would correct the source's clock, ms; null: `timeOffsetMs` corrects it. */
  proposedOffsetMs(timeOffsetMs: number): number | null {
    const { skewMs } = this
    return skewMs !== null && Math.abs(skewMs + timeOffsetMs) > maxClockSkewMs ? -skewMs : null
  }
}
