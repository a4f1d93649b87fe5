import type { Logger } from 'pino'
import { unavailableCode } from '../failure.ts'
import type { TimelineHistory } from './ports.ts'
import type { TimelineSubscription } from './timeline-subscription.ts'

/** Reads and sends what was missing in the response to a request. */
type SendMissing = () => Promise<void>

/**
 * Requests that were answered while some of their samples were not readable. When they are, each request reads its
 * history again and sends what was missing.
 */
export class PendingHistory {
  readonly #history: TimelineHistory
  readonly #logger: Logger
  readonly #requests = new Map<TimelineSubscription, SendMissing>()
  #isPolling = false

  constructor(history: TimelineHistory, logger: Logger) {
    this.#history = history
    this.#logger = logger
  }

  add(subscription: TimelineSubscription, sendMissing: SendMissing): void {
    this.#requests.set(subscription, sendMissing)
  }

  remove(subscription: TimelineSubscription): void {
    this.#requests.delete(subscription)
  }

  /** Whether part of the requested history is not sent yet. */
  has(subscription: TimelineSubscription): boolean {
    return this.#requests.has(subscription)
  }

  /**
   * Waits until all samples are readable, up to a time limit; returns at once if a check is in progress. Never rejects.
   */
  async poll(): Promise<void> {
    if (this.#isPolling || this.#requests.size === 0) return
    this.#isPolling = true
    // Later requests may miss more.
    const waiting = Array.from(this.#requests)
    try {
      if (await this.#history.caughtUp())
        for (const [subscription, send] of waiting) await this.#send(subscription, send)
    } catch (error) {
      this.#logger.warn({ err: error }, 'Failed to check whether the history of the timeline is readable')
    } finally {
      this.#isPolling = false
    }
  }

  /** If store or log are unavailable, the request is retried; another failure would repeat. */
  async #send(subscription: TimelineSubscription, send: SendMissing): Promise<void> {
    if (!this.#requests.has(subscription)) return
    try {
      await send()
      this.#requests.delete(subscription)
    } catch (error) {
      this.#logger.warn({ err: error }, 'Failed to read the missing history of a timeline')
      if (unavailableCode(error) === null) this.#requests.delete(subscription)
    }
  }
}
