import type { Command, Outcome, RecordEntry } from '../../schema/commands/command-log.ts'

/** How long a repeated request gets the first outcome. */
const retentionMs = 86_400_000
/** Maximum difference between the clocks that timestamp records of the log. */
const marginMs = 600_000

/** How long after its append an outcome may be needed, by the clock of the log. */
export const outcomeRetentionMs = retentionMs + 2 * marginMs

/** Limits of the stored outcomes of one company. */
export interface KeyedLimits {
  readonly keys: number
  /** Total length of the outcomes as JSON, UTF-16 units. */
  readonly chars: number
}

const defaultLimits: KeyedLimits = { keys: 20_000, chars: 33_554_432 }

interface StoredOutcome {
  readonly companyId: string
  readonly body: string
  readonly outcome: Outcome
  readonly nowMs: number
  readonly chars: number
}

type Keyed = Pick<Command, 'companyId' | 'nowMs' | 'repeat'>

/** Outcomes by company and `Idempotency-Key`, for 24 hours according to the clocks of the senders. */
export class KeyedOutcomes {
  readonly #limits: KeyedLimits
  /** Oldest first. */
  readonly #outcomes = new Map<string, StoredOutcome>()
  readonly #usageBy = new Map<string, KeyedLimits>()

  constructor(limits: KeyedLimits = defaultLimits) {
    this.#limits = limits
  }

  /**
   * Returns the outcome of a repeated request: the first outcome; 409 if the key was used with another request; 429 if
   * the limit of stored keys is reached. null if the command must be executed.
   */
  outcomeFor({ companyId, nowMs, repeat }: Keyed): Outcome | null {
    if (!repeat || companyId === null) return null
    const first = this.#outcomes.get(storageKeyOf(companyId, repeat.key))
    if (first && nowMs - first.nowMs < retentionMs) return first.body === repeat.body ? first.outcome : keyReused
    const { keys, chars } = this.#usageBy.get(companyId) ?? noUsage
    return keys < this.#limits.keys && chars < this.#limits.chars ? null : tooManyKeys
  }

  /** Stores the outcome of a command that has a key, and removes expired outcomes. */
  add({ command, outcome }: Pick<RecordEntry, 'outcome'> & { readonly command: Keyed }, appendedAtMs: number): void {
    this.#removeExpired(appendedAtMs)
    const { companyId, nowMs, repeat } = command
    if (!repeat || companyId === null || isUnrelatedToRequest(outcome)) return
    const storageKey = storageKeyOf(companyId, repeat.key)
    const before = this.#outcomes.get(storageKey)
    if (before && nowMs - before.nowMs < retentionMs) return
    this.#remove(storageKey)
    const kept = { companyId, body: repeat.body, outcome, nowMs, chars: JSON.stringify(outcome).length }
    this.#outcomes.set(storageKey, kept)
    this.#count(kept, 1)
  }

  #removeExpired(appendedAtMs: number): void {
    for (const [storageKey, { nowMs }] of this.#outcomes) {
      if (nowMs + retentionMs + marginMs >= appendedAtMs) break
      this.#remove(storageKey)
    }
  }

  #remove(storageKey: string): void {
    const kept = this.#outcomes.get(storageKey)
    if (!kept) return
    this.#outcomes.delete(storageKey)
    this.#count(kept, -1)
  }

  #count({ companyId, chars }: StoredOutcome, sign: 1 | -1): void {
    const used = this.#usageBy.get(companyId) ?? noUsage
    const after = { keys: used.keys + sign, chars: used.chars + sign * chars }
    if (after.keys === 0) this.#usageBy.delete(companyId)
    else this.#usageBy.set(companyId, after)
  }
}

const noUsage: KeyedLimits = { keys: 0, chars: 0 }

const keyReused: Outcome = {
  ok: false,
  error: {
    status: 409,
    code: 'IdempotencyKeyReused',
    message: 'This Idempotency-Key was used for a different request to this route. Use a new key.',
    errors: [],
  },
}

const tooManyKeys: Outcome = {
  ok: false,
  error: {
    status: 429,
    code: 'TooManyRequests',
    message: 'The company sent too many different Idempotency-Keys within 24 hours',
    errors: [],
  },
}

/** Returns whether the outcome does not concern the request itself; a repeated request is then executed. */
function isUnrelatedToRequest(outcome: Outcome): boolean {
  if (outcome.ok) return false
  const { status, code } = outcome.error
  return status === 429 || ['DeadlinePassed', 'CommandFailed', 'UnknownCommand', 'IdempotencyKeyReused'].includes(code)
}

function storageKeyOf(companyId: string, key: string): string {
  return `${companyId} ${key}`
}
