import type { Logger } from 'pino'
import { unavailableCode } from '../failure.ts'
import type { TimelineHistory } from './ports.ts'
import type { TimelineSubscription } from './timeline-subscription.ts'

/** Reads and tells what was missing in the answer of a request. */
type TellMissing = () => Promise<void>

/**
 * Requests that were answered while some of their samples could not be read yet. Once all can be, each reads its past once more and tells
 * what was missing.
 */
export class MissingPast {
  readonly #history: TimelineHistory
  readonly #logger: Logger
  readonly #requests = new Map<TimelineSubscription, TellMissing>()
  #isLooking = false

  constructor(history: TimelineHistory, logger: Logger) {
    this.#history = history
    this.#logger = logger
  }

  add(subscription: TimelineSubscription, tellMissing: TellMissing): void {
    this.#requests.set(subscription, tellMissing)
  }

  remove(subscription: TimelineSubscription): void {
    this.#requests.delete(subscription)
  }

  /** Whether something of the request's past is still to be told. */
  has(subscription: TimelineSubscription): boolean {
    return this.#requests.has(subscription)
  }

  /** Waits until all can be read, or a while; not while the last look goes on. Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking || this.#requests.size === 0) return
    this.#isLooking = true
    // Requests that come while it waits may miss more.
    const waiting = Array.from(this.#requests)
    try {
      if (await this.#history.caughtUp())
        for (const [subscription, tell] of waiting) await this.#tell(subscription, tell)
    } catch (error) {
      this.#logger.warn({ err: error }, 'it is not known whether the past of the timeline can be read')
    } finally {
      this.#isLooking = false
    }
  }

  /** Where store or log are away, it stays for the next look; another failure would come again. */
  async #tell(subscription: TimelineSubscription, tell: TellMissing): Promise<void> {
    if (!this.#requests.has(subscription)) return
    try {
      await tell()
      this.#requests.delete(subscription)
    } catch (error) {
      this.#logger.warn({ err: error }, 'the missing past of a timeline was not read')
      if (unavailableCode(error) === null) this.#requests.delete(subscription)
    }
  }
}
