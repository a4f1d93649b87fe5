import type { GraphQLFormattedError } from 'graphql'
import type { OperationRequest, Prepared } from './prepare.ts'
import type { SerializedResult } from './result.ts'

/** A client's subscription, from the view of the query. */
export interface LiveQueryFollower {
  /** Receives a result that differs from the previous one. */
  next(result: SerializedResult): void
  /** Receives the errors that end the subscription. */
  fail(errors: readonly GraphQLFormattedError[]): void
}

/** One distinct subscription of a company, with any number of followers. */
export class LiveQuery {
  readonly companyId: string
  readonly prepared: Prepared
  readonly variables: OperationRequest['variables']
  /** By follower: digest of the last result that it received; null: none yet. */
  readonly #followers = new Map<LiveQueryFollower, string | null>()
  /**
   * `waiting`: an evaluation is queued; `running`: it runs; `again`: it runs, and a source has changed since its start;
   * `pausing`: it failed and waits for its retry.
   */
  state: 'idle' | 'waiting' | 'running' | 'again' | 'pausing' = 'idle'
  /** The latest result, if it is cached; maintained by `LiveQueries`. */
  result: SerializedResult | null = null
  /** Failed evaluations in a row. */
  failures = 0
  /** Timeouts in a row. */
  timeouts = 0
  /** Removes its next evaluation from the queue. */
  cancelWaiting: () => void = () => undefined
  isUrgent = false
  readonly #ended = new AbortController()

  constructor(companyId: string, prepared: Prepared, variables: OperationRequest['variables']) {
    this.companyId = companyId
    this.prepared = prepared
    this.variables = variables
  }

  /** Aborts when the last follower has left. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Whether a follower waits for its first result. */
  get isAwaited(): boolean {
    for (const digest of this.#followers.values()) if (digest === null) return true
    return false
  }

  follow(follower: LiveQueryFollower): void {
    this.#followers.set(follower, null)
  }

  /** Removes a follower; returns the number of remaining ones. */
  leave(follower: LiveQueryFollower): number {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#ended.abort()
    return this.#followers.size
  }

  /** Sends the result to the followers whose last result differs. */
  publish(result: SerializedResult): void {
    for (const [follower, digest] of this.#followers) {
      if (digest === result.digest) continue
      this.#followers.set(follower, result.digest)
      follower.next(result)
    }
  }

  /** Sends the errors to all followers and ends the query. */
  fail(errors: readonly GraphQLFormattedError[]): void {
    const followers = [...this.#followers.keys()]
    this.#followers.clear()
    this.#ended.abort()
    for (const follower of followers) follower.fail(errors)
  }
}
