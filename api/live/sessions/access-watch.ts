import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { RecordKind } from '../../../schema/records/record-kinds.ts'
import type { LiveCaller } from './token-check.ts'

/** A connection that depends on a token. */
export interface TokenHolder {
  /** The authenticated caller; null: none yet. */
  readonly caller: LiveCaller | null
  /** Verifies the token again, and closes what depends on an invalid one. */
  recheck(): Promise<void>
}

export interface AccessWatchOptions<Holder extends TokenHolder> {
  readonly records: Pick<Records, 'onChange'>
  /** All sessions that may have a token. */
  readonly holders: Iterable<Holder>
  readonly logger: Logger
}

/** Kinds of records on which tokens depend. */
const opening: ReadonlySet<RecordKind> = new Set(['key', 'user', 'session'])

/** Interval of the check for expired tokens. */
const tokensEveryMs = 15_000

/** Verifies tokens again when a record on which they depend changes, and regularly for their expiry. */
export class AccessWatch<Holder extends TokenHolder> {
  readonly #options: AccessWatchOptions<Holder>
  readonly #forget: () => void
  readonly #timer: NodeJS.Timeout
  #changes = 0

  constructor(options: AccessWatchOptions<Holder>) {
    this.#options = options
    this.#forget = options.records.onChange(({ kind, id }) => {
      if (!opening.has(kind)) return
      this.#changes++
      this.#recheck(({ standsFor }) => standsFor.includes(id))
    })
    this.#timer = setInterval(() => this.#recheck(({ tokenEndsAtMs }) => tokenEndsAtMs !== null), tokensEveryMs)
    this.#timer.unref()
  }

  /** Increases with each change of a key, user or session. */
  get changes(): number {
    return this.#changes
  }

  stop(): void {
    this.#forget()
    clearInterval(this.#timer)
  }

  #recheck(concerns: (caller: LiveCaller) => boolean): void {
    const { holders, logger } = this.#options
    for (const holder of holders) {
      if (holder.caller === null || !concerns(holder.caller)) continue
      holder.recheck().catch((error: unknown) => logger.error({ err: error }, 'Failed to verify token'))
    }
  }
}
