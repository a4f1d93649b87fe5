import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Share of the time in which the event loop has work, above which it has no time left. */
const busyShare = 0.9
const windowMs = 500

/** Detects whether the event loop of this process was saturated recently. */
export class EventLoopLoad {
  #sinceMs = performance.now()
  #before: EventLoopUtilization = performance.eventLoopUtilization()
  #isBusy = false

  /** Looks at the time since it was asked before, where that is half a second or more. */
  isBusy(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs < windowMs) return this.#isBusy
    const now = performance.eventLoopUtilization()
    this.#isBusy = performance.eventLoopUtilization(now, this.#before).utilization > busyShare
    this.#before = now
    this.#sinceMs = nowMs
    return this.#isBusy
  }
}
