import { getOrCreate } from '../../shared/collections/get-or-create.ts'
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
  /** Order of the additions. */
  readonly index: number
}

/**
 * The deliveries of a target that are not final. A delivery waits for earlier ones of its incidents, so that their
 * messages arrive in order; deliveries of other incidents pass one that is being retried. There may be tens of thousands
 * after an outage, so that no call reads all of them. All instants are UTC ms.
 */
export class TargetQueue {
  readonly #entries = new Map<string, Entry>()
  /** Entries by incident, in the order of their addition: only the first one may be attempted. */
  readonly #ofIncident = new Map<string, Set<string>>()
  /** Entries that wait for no earlier one, in the order of their attempts. */
  readonly #ready: Entry[] = []
  #added = 0

  /**
   * Adds a delivery; one that is in the queue stays. Attempts are not stored: after a restart, the age of a delivery
   * decides how many it has had, and an attempt is due immediately.
   */
  add(delivery: QueuedDelivery, nowMs: number): void {
    if (this.#entries.has(delivery.id)) return
    const attempts = attemptsByAge(nowMs - delivery.createdMs)
    for (const id of delivery.incidentIds) getOrCreate(this.#ofIncident, id, () => new Set()).add(delivery.id)
    this.#put({ delivery, remaining: null, attempts, dueMs: nowMs, index: this.#added++ })
  }

  /** Removes a delivery. */
  remove(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    this.#unready(entry)
    for (const incidentId of entry.delivery.incidentIds) {
      const ofIncident = this.#ofIncident.get(incidentId)
      ofIncident?.delete(id)
      const [first] = ofIncident ?? []
      const next = first === undefined ? undefined : this.#entries.get(first)
      if (next) this.#put(next)
      else this.#ofIncident.delete(incidentId)
    }
  }

  /** Number of deliveries. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns the delivery whose attempt is due first, if it is due; otherwise the instant of the next attempt, Infinity: there is none. */
  next(nowMs: number): DueAttempt | { readonly dueMs: number } {
    const [first] = this.#ready
    return first && first.dueMs <= nowMs ? first : { dueMs: first?.dueMs ?? Infinity }
  }

  /** Records the outcome of an attempt at an instant. The delivery leaves the queue if its state is final. */
  record({ delivery, remaining }: DueAttempt, outcome: Outcome, nowMs: number): AttemptResult {
    const entry = this.#entries.get(delivery.id)
    const attempts = (entry?.attempts ?? 0) + 1
    const delayMs = outcome.kind === 'failed' ? retryDelayMs(attempts, outcome.retryAfterMs) : null
    if (outcome.kind !== 'failed' || delayMs === null) {
      this.remove(delivery.id)
      if (outcome.kind === 'sent') return { state: 'sent', note: outcome.note }
      return { state: 'abandoned', error: outcome.error, isGone: outcome.kind === 'gone' }
    }
    const rest = outcome.remaining ?? remaining
    if (entry) this.#put({ ...entry, remaining: rest, attempts, dueMs: nowMs + delayMs })
    return { state: 'failed', error: outcome.error }
  }

  /** Adds an entry, or replaces it. It is ready if it waits for no earlier one. */
  #put(entry: Entry): void {
    const { id, incidentIds } = entry.delivery
    const before = this.#entries.get(id)
    if (before) this.#unready(before)
    this.#entries.set(id, entry)
    const isFirst = (incidentId: string) => this.#ofIncident.get(incidentId)?.values().next().value === id
    if (incidentIds.every(isFirst)) this.#ready.splice(findPlace(this.#ready, entry), 0, entry)
  }

  #unready(entry: Entry): void {
    const place = findPlace(this.#ready, entry)
    if (this.#ready[place] === entry) this.#ready.splice(place, 1)
  }
}

/** Returns the place of an entry in a list in the order of attempts. */
function findPlace(entries: readonly Entry[], { dueMs, index }: Entry): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = entries[middle]
    if (entry && (entry.dueMs < dueMs || (entry.dueMs === dueMs && entry.index < index))) low = middle + 1
    else high = middle
  }
  return low
}
