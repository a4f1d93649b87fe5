import type { GraphQLFormattedError } from 'graphql'
import type { OperationRequest, Prepared } from './prepare.ts'
import type { SerializedResult } from './result.ts'

/** A client's subscription, as the query that it follows sees it. */
export interface LiveQueryFollower {
  /** The result is another than before. */
  next(result: SerializedResult): void
  /** It cannot go on. */
  fail(errors: readonly GraphQLFormattedError[]): void
}

/** One distinct subscription of a company, followed by any number of clients. */
export class LiveQuery {
  readonly companyId: string
  readonly prepared: Prepared
  readonly variables: OperationRequest['variables']
  /** By follower: the digest of the result that it got last; null: none yet. */
  readonly #followers = new Map<LiveQueryFollower, string | null>()
  /**
   * `waiting`: it will be evaluated; `running`: it is; `again`: it is, and something has changed since;
   * `pausing`: it has failed, and will be evaluated again after a pause.
   */
  state: 'idle' | 'waiting' | 'running' | 'again' | 'pausing' = 'idle'
  /** Evaluations that failed, one after the other. */
  failures = 0
  /** Evaluations that took too long, one after the other. */
  timeouts = 0
  /** Takes its next evaluation out of the queue. */
  cancelWaiting: () => void = () => undefined
  /** Whether its next evaluation waits among the urgent ones. */
  isUrgent = false
  readonly #ended = new AbortController()

  constructor(companyId: string, prepared: Prepared, variables: OperationRequest['variables']) {
    this.companyId = companyId
    this.prepared = prepared
    this.variables = variables
  }

  /** Aborted when nobody follows it any more. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Whether some follower has had no result yet. */
  get isAwaited(): boolean {
    for (const digest of this.#followers.values()) if (digest === null) return true
    return false
  }

  follow(follower: LiveQueryFollower): void {
    this.#followers.set(follower, null)
  }

  /** Returns how many are left. */
  leave(follower: LiveQueryFollower): number {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#ended.abort()
    return this.#followers.size
  }

  /** Gives the result to those who had another one last. */
  tell(result: SerializedResult): void {
    for (const [follower, digest] of this.#followers) {
      if (digest === result.digest) continue
      this.#followers.set(follower, result.digest)
      follower.next(result)
    }
  }

  /** Ends it for all. */
  fail(errors: readonly GraphQLFormattedError[]): void {
    const followers = [...this.#followers.keys()]
    this.#followers.clear()
    this.#ended.abort()
    for (const follower of followers) follower.fail(errors)
  }
}
