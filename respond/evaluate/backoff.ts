const firstDelayMs = 250
const defaultMaxDelayMs = 60_000

/** The delay before the next attempt: it doubles with each failure. Instants are UTC ms. */
export class Backoff {
  readonly #maxDelayMs: number
  #delayMs = 0
  #failedMs = -Infinity

  constructor(maxDelayMs = defaultMaxDelayMs) {
    this.#maxDelayMs = maxDelayMs
  }

  /** Whether the next attempt may begin. A clock that was set back does not delay it. */
  isOver(clockMs: number): boolean {
    return clockMs < this.#failedMs || clockMs >= this.#failedMs + this.#delayMs
  }

  failed(clockMs: number): void {
    this.#failedMs = clockMs
    this.#delayMs = this.#delayMs === 0 ? firstDelayMs : Math.min(this.#maxDelayMs, 2 * this.#delayMs)
  }

  succeeded(): void {
    this.#delayMs = 0
  }
}
