const bucketMs = 10_000
const buckets = 6

/** Messages per second within the last minute. */
export class MessageRate {
  #counts: { readonly startMs: number; count: number }[] = []

  add(atMs: number): void {
    const last = this.#counts.at(-1)
    if (last !== undefined && atMs - last.startMs < bucketMs) last.count++
    else this.#counts = [...this.#counts.slice(1 - buckets), { startMs: atMs, count: 1 }]
  }

  /** Returns the rate at a time; of a shorter period after the start. */
  perSecond(atMs: number): number {
    const recent = this.#counts.filter(({ startMs }) => startMs > atMs - buckets * bucketMs)
    const [first] = recent
    if (first === undefined) return 0
    const seconds = Math.max(1, (atMs - first.startMs) / 1_000)
    return recent.reduce((sum, { count }) => sum + count, 0) / seconds
  }
}
