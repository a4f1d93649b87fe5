/** Work of callers: a burst may wait two seconds, what never ends half a second. */
export const callersLoad: LoadShedderOptions = { always: 8, burstMs: 2_000, standingMs: 500 }

/** Bounds of the work that may wait. */
export interface LoadShedderOptions {
  /** Pieces of work that may be under way however slow they are. */
  readonly always: number
  /** Longest wait for one's turn after a time without a backlog: a burst is taken whole. */
  readonly burstMs: number
  /** Longest wait for one's turn where there has been a backlog for `burstMs`. */
  readonly standingMs: number
}

/** Half of what is known about the rate of work is forgotten in so long, at rest, too. */
const halfLifeMs = 2_000
const fadeMs = halfLifeMs / Math.LN2
/** Amount of work before the rate is measured. */
const knownAfterMs = 500

/**
 * Decides whether to accept more work, by the time that the work would wait: a short burst is accepted, a lasting
 * backlog is not. Excess work is rejected, so that accepted work does not slow down. (The idea is that of CoDel, RFC
 * 8289: a queue that empties regularly does no harm, a standing queue does.) Times are ms of any monotonic clock.
 */
export class LoadShedder {
  readonly #options: LoadShedderOptions
  #pieces = 0
  #amount = 0
  #atMs = 0
  #lastShortMs = -Infinity
  /** Amount that was done while more than a few pieces were under way, and that time; both fade. With fewer, more could be done. */
  #done = 0
  #busyMs = 0

  constructor(options: LoadShedderOptions) {
    this.#options = options
  }

  /** Pieces of work under way. */
  get pieces(): number {
    return this.#pieces
  }

  /** Whether to accept work at this time. */
  takes(nowMs: number): boolean {
    const { burstMs, standingMs } = this.#options
    const waitMs = this.#waitMs(nowMs)
    if (waitMs < standingMs / 5) this.#lastShortMs = nowMs
    if (!this.#isFull) return true
    return waitMs <= (nowMs - this.#lastShortMs < burstMs ? burstMs : standingMs)
  }

  /** Counts accepted work, in bytes or another measure of its duration. */
  add(amount: number, nowMs: number): void {
    this.#pass(nowMs)
    this.#pieces++
    this.#amount += amount
  }

  /** Counts it as done. */
  end(amount: number, nowMs: number): void {
    this.#pass(nowMs)
    if (this.#isFull) this.#done += amount
    this.#pieces--
    this.#amount -= amount
  }

  get #isFull(): boolean {
    return this.#pieces >= this.#options.always
  }

  #waitMs(nowMs: number): number {
    this.#pass(nowMs)
    if (this.#pieces === 0 || this.#done === 0 || this.#busyMs < knownAfterMs) return 0
    return (this.#amount / this.#done) * this.#busyMs
  }

  #pass(nowMs: number): void {
    const passedMs = nowMs - this.#atMs
    this.#atMs = nowMs
    if (passedMs <= 0) return
    const left = 0.5 ** (passedMs / halfLifeMs)
    this.#done *= left
    this.#busyMs *= left
    if (this.#isFull) this.#busyMs += fadeMs * (1 - left)
  }
}

/** Load shedders of several holders (companies): none waits for another's, and none is refused for another's. */
export class LoadShedders {
  readonly #options: LoadShedderOptions
  readonly #byHolder = new Map<string, LoadShedder>()

  constructor(options: LoadShedderOptions) {
    this.#options = options
  }

  of(holder: string): LoadShedder {
    const known = this.#byHolder.get(holder)
    if (known) return known
    const made = new LoadShedder(this.#options)
    this.#byHolder.set(holder, made)
    return made
  }
}
