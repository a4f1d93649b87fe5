/** A token bucket: a client may spend `perSecond`, and `burst` at once. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  #left: number
  #atMs: number

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#left = burst
    this.#atMs = nowMs
  }

  /** Whether this cost is allowed. A cost above the burst counts as the burst. */
  consume(nowMs: number, cost = 1): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#atMs) / 1000) * this.#perSecond)
    this.#atMs = nowMs
    const bounded = Math.min(cost, this.#burst)
    if (this.#left < bounded) return false
    this.#left -= bounded
    return true
  }
}
