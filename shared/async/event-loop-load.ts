import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Share of time in which the event loop has work, above which it counts as saturated. */
const saturatedShare = 0.9
const windowMs = 500

/** Detects whether the event loop of this process was saturated recently. */
export class EventLoopLoad {
  #sinceMs = performance.now()
  #before: EventLoopUtilization = performance.eventLoopUtilization()
  #isBusy = false

  /**
   * Returns whether the event loop was saturated in the last measured window. A window lasts from one call to the first
   * call at least 500 ms later.
   */
  isBusy(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs < windowMs) return this.#isBusy
    const now = performance.eventLoopUtilization()
    this.#isBusy = performance.eventLoopUtilization(now, this.#before).utilization > saturatedShare
    this.#before = now
    this.#sinceMs = nowMs
    return this.#isBusy
  }
}
