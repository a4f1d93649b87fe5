import type { Outcome } from './outcome.ts'
import { attemptsByAge, retryDelayMs } from './retry-schedule.ts'

/** A delivery whose record exists and is not final. */
export interface QueuedDelivery {
  readonly id: string
  readonly incidentIds: readonly string[]
  /** UTC ms. */
  readonly createdMs: number
}

/** State of a delivery after an attempt. `isGone`: the receiver wants no further messages, so the target is disabled. */
export type AttemptResult =
  | { readonly state: 'sent'; readonly note: string | null }
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'abandoned'; readonly error: string; readonly isGone: boolean }

/** A delivery whose attempt is due. */
export interface DueAttempt {
  readonly delivery: QueuedDelivery
  /** Addresses that lack the message; null: all. */
  readonly remaining: readonly string[] | null
}

interface Entry extends DueAttempt {
  readonly attempts: number
  readonly dueMs: number
}

/**
 * The deliveries of a target that are not final, in the order of their creation. A delivery waits for earlier ones of its
 * incidents, so that their messages arrive in order; deliveries of other incidents pass one that is being retried. All
 * instants are UTC ms.
 */
export class TargetQueue {
  readonly #entries = new Map<string, Entry>()

  /**
   * Adds a delivery; one that is in the queue stays. Attempts are not stored: after a restart, the age of a delivery
   * decides how many it has had, and an attempt is due at once.
   */
  add(delivery: QueuedDelivery, nowMs: number): void {
    if (this.#entries.has(delivery.id)) return
    const attempts = attemptsByAge(nowMs - delivery.createdMs)
    this.#entries.set(delivery.id, { delivery, remaining: null, attempts, dueMs: nowMs })
  }

  /** Removes a delivery. */
  remove(id: string): void {
    this.#entries.delete(id)
  }

  /** Number of deliveries. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns the first delivery whose attempt is due; otherwise the instant of the next attempt, Infinity: there is none. */
  next(nowMs: number): DueAttempt | { readonly dueMs: number } {
    const earlier = new Set<string>()
    let nextMs = Infinity
    for (const entry of this.#entries.values()) {
      const { incidentIds } = entry.delivery
      const isBlocked = incidentIds.some(id => earlier.has(id))
      if (!isBlocked && entry.dueMs <= nowMs) return entry
      if (!isBlocked) nextMs = Math.min(nextMs, entry.dueMs)
      for (const id of incidentIds) earlier.add(id)
    }
    return { dueMs: nextMs }
  }

  /** Records the outcome of an attempt at an instant. The delivery leaves the queue if its state is final. */
  record({ delivery, remaining }: DueAttempt, outcome: Outcome, nowMs: number): AttemptResult {
    const attempts = (this.#entries.get(delivery.id)?.attempts ?? 0) + 1
    const delayMs = outcome.kind === 'failed' ? retryDelayMs(attempts, outcome.retryAfterMs) : null
    if (outcome.kind !== 'failed' || delayMs === null) {
      this.#entries.delete(delivery.id)
      if (outcome.kind === 'sent') return { state: 'sent', note: outcome.note }
      return { state: 'abandoned', error: outcome.error, isGone: outcome.kind === 'gone' }
    }
    const rest = outcome.remaining ?? remaining
    this.#entries.set(delivery.id, { delivery, remaining: rest, attempts, dueMs: nowMs + delayMs })
    return { state: 'failed', error: outcome.error }
  }
}
