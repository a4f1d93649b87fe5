import { getOrCreate } from '../collections/get-or-create.ts'

/** Limits for requests of callers: in a burst they may wait two seconds, in a lasting backlog half a second. */
export const callerLoadLimits: LoadShedderOptions = { always: 8, burstMs: 2_000, standingMs: 500 }

/** Limits of the time that accepted work waits. */
export interface LoadShedderOptions {
  /** Number of work items that are always accepted, regardless of the waiting time. */
  readonly always: number
  /** Maximum waiting time, ms, after a time without a backlog: a burst is accepted as a whole. */
  readonly burstMs: number
  /** Maximum waiting time, ms, if a backlog has lasted for `burstMs`. */
  readonly standingMs: number
}

/** Half-life of the measured rate of work, ms. */
const halfLifeMs = 2_000
const fadeMs = halfLifeMs / Math.LN2
/** Minimum busy time, ms, before the measured rate is used. */
const knownAfterMs = 500

/**
 * Decides whether to accept more work, by the time that the work would wait: a short burst is accepted, a lasting
 * backlog is not. Excess work is rejected, so that accepted work does not slow down. (The idea is that of CoDel, RFC
 * 8289: a queue that empties regularly does no harm, a standing queue does.) Times are ms of any monotonic clock.
 */
export class LoadShedder {
  readonly #options: LoadShedderOptions
  #inProgress = 0
  #amount = 0
  #atMs = 0
  #lastShortMs = -Infinity
  /**
   * Amount of completed work, and the time that it took, while at least `always` items were in progress; with fewer,
   * the rate would be underestimated. Both decay with `halfLifeMs`.
   */
  #done = 0
  #busyMs = 0

  constructor(options: LoadShedderOptions) {
    this.#options = options
  }

  /** Number of work items in progress. */
  get inProgress(): number {
    return this.#inProgress
  }

  /** Returns whether to accept a work item at this time. */
  accepts(nowMs: number): boolean {
    const { burstMs, standingMs } = this.#options
    const waitMs = this.#waitMs(nowMs)
    if (waitMs < standingMs / 5) this.#lastShortMs = nowMs
    if (!this.#isFull) return true
    return waitMs <= (nowMs - this.#lastShortMs < burstMs ? burstMs : standingMs)
  }

  /** Counts an accepted item; `amount` is its bytes or another measure of its duration. */
  add(amount: number, nowMs: number): void {
    this.#pass(nowMs)
    this.#inProgress++
    this.#amount += amount
  }

  /** Counts an item as completed. */
  end(amount: number, nowMs: number): void {
    this.#pass(nowMs)
    if (this.#isFull) this.#done += amount
    this.#inProgress--
    this.#amount -= amount
  }

  get #isFull(): boolean {
    return this.#inProgress >= this.#options.always
  }

  #waitMs(nowMs: number): number {
    this.#pass(nowMs)
    if (this.#inProgress === 0 || this.#done === 0 || this.#busyMs < knownAfterMs) return 0
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

/** One load shedder per tenant (company): a tenant's backlog neither delays nor rejects the work of another one. */
export class LoadShedders {
  readonly #options: LoadShedderOptions
  readonly #byTenant = new Map<string, LoadShedder>()

  constructor(options: LoadShedderOptions) {
    this.#options = options
  }

  of(tenant: string): LoadShedder {
    return getOrCreate(this.#byTenant, tenant, () => new LoadShedder(this.#options))
  }
}
