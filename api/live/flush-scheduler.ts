/** Has something to send now and then, and sends it when the scheduler calls `flush`. */
export interface Flushable {
  isQueued: boolean
  flush(): void
}

/** Shortest slice. */
const leastMs = 3
/** Longest slice: the event loop is kept from other work for so long. */
const mostMs = 12

/**
 * Flushes everyone that has something to send, first come first served, in slices between which the process takes in what is new. A slice takes
 * as long as the other work since the slice before, from 3 to 12 ms. The more there is to do, the longer a round takes, and the more is replaced
 * by newer frames before it is sent: that is what holds under overload.
 */
export class FlushScheduler {
  #queue: Flushable[] = []
  #next = 0
  #isScheduled = false
  /** When the last slice ended that left something to do; null: none did. */
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
    const untilMs = startMs + Math.min(mostMs, Math.max(leastMs, othersMs))
    // Who queues again meanwhile waits for the next slice: a single one must not keep the process to itself.
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
