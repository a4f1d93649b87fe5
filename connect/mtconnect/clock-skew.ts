/** Number of documents whose median is the skew. */
const window = 20

/** Skew above which times of the agent are wrong in reports. */
export const skewWarningMs = 60_000

/** Difference of an agent's clock and the own clock: the median of the last documents. */
export class ClockSkew {
  readonly #skewsMs: number[] = []

  /** Adds a document that was sent now. Both times are UTC ms. */
  add(createdMs: number, receivedMs: number): void {
    this.#skewsMs.push(createdMs - receivedMs)
    if (this.#skewsMs.length > window) this.#skewsMs.shift()
  }

  /** Milliseconds that the agent's clock is ahead; null: no document was added. */
  get skewMs(): number | null {
    const sorted = this.#skewsMs.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? null
  }
}
