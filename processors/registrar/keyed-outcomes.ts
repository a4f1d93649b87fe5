import type { Command, Outcome, RecordEntry } from '../../schema/commands/command-log.ts'

/** How long a repeat gets the first answer. */
const keptMs = 86_400_000
/** Clocks that stamp the log may differ by this much. */
const marginMs = 600_000

/** How much is kept of one company. */
export interface KeyedBounds {
  readonly keys: number
  /** Length of the outcomes as JSON, UTF-16 units. */
  readonly chars: number
}

const usualBounds: KeyedBounds = { keys: 20_000, chars: 33_554_432 }

interface Kept {
  readonly companyId: string
  readonly body: string
  readonly outcome: Outcome
  readonly nowMs: number
  readonly chars: number
}

type Keyed = Pick<Command, 'companyId' | 'nowMs' | 'repeat'>

/** Outcomes by company and `Idempotency-Key`, for 24 hours by the senders' clocks. */
export class KeyedOutcomes {
  readonly #bounds: KeyedBounds
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>()
  readonly #usedBy = new Map<string, KeyedBounds>()

  constructor(bounds: KeyedBounds = usualBounds) {
    this.#bounds = bounds
  }

  /**
   * Outcome of a command that its idempotency key decides: the first outcome; 409 if the key was used with another
   * request; 429 if the limit of stored keys is reached. null: the command must be executed.
   */
  outcomeFor({ companyId, nowMs, repeat }: Keyed): Outcome | null {
    if (!repeat || companyId === null) return null
    const first = this.#kept.get(placeOf(companyId, repeat.key))
    if (first && nowMs - first.nowMs < keptMs) return first.body === repeat.body ? first.outcome : otherBody
    const { keys, chars } = this.#usedBy.get(companyId) ?? none
    return keys < this.#bounds.keys && chars < this.#bounds.chars ? null : tooMany
  }

  /** Keeps the outcome of a command that came with a key, and forgets old ones. */
  add({ command, outcome }: Pick<RecordEntry, 'outcome'> & { readonly command: Keyed }, appendedAtMs: number): void {
    this.#forget(appendedAtMs)
    const { companyId, nowMs, repeat } = command
    if (!repeat || companyId === null || isNoAnswer(outcome)) return
    const place = placeOf(companyId, repeat.key)
    const before = this.#kept.get(place)
    if (before && nowMs - before.nowMs < keptMs) return
    this.#remove(place)
    const kept = { companyId, body: repeat.body, outcome, nowMs, chars: JSON.stringify(outcome).length }
    this.#kept.set(place, kept)
    this.#count(kept, 1)
  }

  #forget(appendedAtMs: number): void {
    for (const [place, { nowMs }] of this.#kept) {
      if (nowMs + keptMs + marginMs >= appendedAtMs) break
      this.#remove(place)
    }
  }

  #remove(place: string): void {
    const kept = this.#kept.get(place)
    if (!kept) return
    this.#kept.delete(place)
    this.#count(kept, -1)
  }

  #count({ companyId, chars }: Kept, sign: 1 | -1): void {
    const used = this.#usedBy.get(companyId) ?? none
    const after = { keys: used.keys + sign, chars: used.chars + sign * chars }
    if (after.keys === 0) this.#usedBy.delete(companyId)
    else this.#usedBy.set(companyId, after)
  }
}

const none: KeyedBounds = { keys: 0, chars: 0 }

const otherBody: Outcome = {
  ok: false,
  error: {
    status: 409,
    code: 'IdempotencyKeyReused',
    message: 'This Idempotency-Key came with another request to this route; another request needs another key',
    errors: [],
  },
}

const tooMany: Outcome = {
  ok: false,
  error: {
    status: 429,
    code: 'TooManyRequests',
    message: 'The company sent too many different Idempotency-Keys within 24 hours',
    errors: [],
  },
}

/** Whether nothing was decided on the request itself; a repeat is then done as if it were the first. */
function isNoAnswer(outcome: Outcome): boolean {
  if (outcome.ok) return false
  const { status, code } = outcome.error
  return status === 429 || ['DeadlinePassed', 'CommandFailed', 'UnknownCommand', 'IdempotencyKeyReused'].includes(code)
}

function placeOf(companyId: string, key: string): string {
  return `${companyId} ${key}`
}
