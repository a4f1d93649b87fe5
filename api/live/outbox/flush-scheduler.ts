/** A sender that the scheduler flushes. */
export interface Flushable {
  isQueued: boolean
  flush(): void
}

/** Minimum duration of a time slice. */
const minMs = 3
/** Maximum duration of a time slice, for which the event loop is blocked. */
const maxMs = 12

/**
 * Flushes all subscribers with pending data in order of arrival, in time slices between which the process receives new
 * data. A time slice takes as long as the other work since the previous one, from 3 to 12 ms. Under load a round takes
 * longer, and newer frames replace more of the older ones before they are sent: this keeps overload stable.
 */
export class FlushScheduler {
  #queue: Flushable[] = []
  #next = 0
  #isScheduled = false
  /** End of the last time slice if work was left; otherwise null. */
  #leftAtMs: number | null = null

  add(flushable: Flushable): void {
    flushable.isQueued = true
    this.#queue.push(flushable)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#run()
    })
  }

  #run(): void {
    const startMs = performance.now()
    const othersMs = startMs - (this.#leftAtMs ?? startMs)
    const untilMs = startMs + Math.min(maxMs, Math.max(minMs, othersMs))
    // A subscriber that is scheduled again meanwhile waits for the next time slice: a single one must not block the
    // process.
    const end = this.#queue.length
    while (this.#next < end) {
      const flushable = this.#queue[this.#next++]
      if (flushable === undefined) continue
      flushable.isQueued = false
      flushable.flush()
      if (performance.now() > untilMs) break
    }
    this.#forgetDone()
    const isLeft = this.#next < this.#queue.length
    this.#leftAtMs = isLeft ? performance.now() : null
    if (isLeft) this.#schedule()
  }

  #forgetDone(): void {
    if (this.#next === this.#queue.length) {
      this.#queue = []
      this.#next = 0
    } else if (this.#next > 4096) {
      this.#queue = this.#queue.slice(this.#next)
      this.#next = 0
    }
  }
}
