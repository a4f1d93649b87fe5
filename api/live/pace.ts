/** Lets a client have `perSecond` commands, and `burst` at once. */
export class Pace {
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

  /** Whether one more is allowed. */
  take(nowMs: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + ((nowMs - this.#atMs) / 1000) * this.#perSecond)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
