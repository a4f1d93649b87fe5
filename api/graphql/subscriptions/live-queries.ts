import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { Shares } from '../../../shared/shares.ts'
import { unexpectedError } from '../compile/problem.ts'
import type { Read } from '../run/reads.ts'
import type { Source } from '../model/source-reads.ts'
import type { EvaluationQueue } from './evaluation-queue.ts'
import { type LiveQueryFollower, LiveQuery } from './live-query.ts'
import { codeOf, type Operations } from './operations.ts'
import type { OperationRequest, Prepared } from './prepare.ts'
import { type SerializedResult, serializeResult } from './result.ts'
import { type SourceChange, SubscriptionIndex } from './subscription-index.ts'

export interface LiveQueriesOptions {
  readonly operations: Pick<Operations, 'run'>
  readonly queue: EvaluationQueue
  /** Maximum size of a subscription's result. */
  readonly resultBytes: number
  /** Memory for the latest results of all subscriptions, in fair shares by company. */
  readonly cachedBytes: number
  /** Whether there are several companies. */
  readonly isShared: () => boolean
  /**
   * Called with the sources that an evaluation reads, before it reads them, and whether they differ from those of the
   * previous evaluation.
   */
  readonly onReads?: (companyId: string, reads: readonly Read[], areNew: boolean) => void
  /** Delay after the first failure; each further one in a row doubles it. */
  readonly firstRetryMs?: number
}

/** A subscription of a client. */
export interface Subscribing {
  readonly companyId: string
  readonly prepared: Prepared
  readonly variables: OperationRequest['variables']
  /** Canonical text of the variables: equal for equal values. */
  readonly variablesText: string
}

const usualFirstRetryMs = 500
const maxRetryMs = 10_000
/** A query that times out this often in a row ends, because it would use all time of its company. */
const maxTimeouts = 5

/**
 * The subscriptions of all clients. Equal subscriptions of a company share one query. A query is evaluated when one of
 * its sources has changed: once at a time, and again if a source changes during the evaluation.
 */
export class LiveQueries {
  readonly #options: LiveQueriesOptions
  readonly #queries = new Map<string, LiveQuery>()
  readonly #index = new SubscriptionIndex<LiveQuery>()
  /** Memory of the cached results. */
  readonly #cachedBytes: Shares
  #evaluations = 0

  constructor(options: LiveQueriesOptions) {
    this.#options = options
    this.#cachedBytes = new Shares({ limit: options.cachedBytes, isShared: options.isShared })
  }

  get distinct(): number {
    return this.#queries.size
  }

  /** Number of evaluations since the start. */
  get evaluations(): number {
    return this.#evaluations
  }

  /**
   * Subscribes to a query: the follower receives the current result, then each changed one. Returns the function that
   * unsubscribes.
   */
  subscribe(subscribing: Subscribing, follower: LiveQueryFollower): () => void {
    const { companyId, prepared, variables, variablesText } = subscribing
    const id = JSON.stringify([companyId, prepared.text, variablesText])
    const query = this.#queries.get(id) ?? this.#begin(id, new LiveQuery(companyId, prepared, variables))
    query.follow(follower)
    if (query.result) query.publish(query.result)
    else if (query.state === 'waiting') this.#hasten(query)
    else if (query.state === 'idle') this.#enqueue(query)
    return () => query.leave(follower)
  }

  /** Whether a subscription of a company reads a source. */
  isRead(companyId: string, source: Source): boolean {
    return this.#index.isRead(companyId, source)
  }

  isReadByAny(source: Source): boolean {
    return this.#index.isReadByAny(source)
  }

  /** Schedules the queries that read a changed source. */
  changed(change: SourceChange): void {
    this.#index.each(change, query => this.#request(query))
  }

  stop(): void {
    for (const query of this.#queries.values()) query.fail([])
  }

  #begin(id: string, query: LiveQuery): LiveQuery {
    this.#queries.set(id, query)
    query.ended.addEventListener('abort', () => this.#forget(id, query), { once: true })
    return query
  }

  #forget(id: string, query: LiveQuery): void {
    query.cancelWaiting()
    if (this.#queries.get(id) !== query) return
    this.#queries.delete(id)
    this.#index.delete(query)
    this.#cache(query, null)
  }

  #request(query: LiveQuery): void {
    if (query.state === 'running') query.state = 'again'
    if (query.state === 'idle') this.#enqueue(query)
  }

  /** Moves the waiting evaluation of a query to the urgent ones, because a client waits for its first result. */
  #hasten(query: LiveQuery): void {
    if (query.isUrgent) return
    query.cancelWaiting()
    this.#enqueue(query)
  }

  #enqueue(query: LiveQuery): void {
    query.state = 'waiting'
    query.isUrgent = query.isAwaited
    const evaluate = () => this.#evaluate(query)
    query.cancelWaiting = this.#options.queue.add(query.companyId, evaluate, query)
  }

  /** Rejects on an unexpected failure, after which the query ends. */
  async #evaluate(query: LiveQuery): Promise<void> {
    if (query.ended.aborted) return
    query.state = 'running'
    this.#evaluations++
    try {
      const outcome = await this.#outcomeOf(query)
      if (query.ended.aborted) return
      const isOutdated = isAgain(query)
      query.state = 'idle'
      if ('json' in outcome) this.#succeeded(query, outcome)
      else this.#failed(query, outcome)
      if (isOutdated && !query.ended.aborted) this.#request(query)
    } catch (error) {
      query.fail([unexpectedError])
      throw error
    }
  }

  /** The result, or its errors. */
  async #outcomeOf(query: LiveQuery): Promise<SerializedResult | readonly GraphQLFormattedError[]> {
    const { companyId, prepared, variables, ended } = query
    const executed = await this.#options.operations.run(prepared, variables, {
      companyId,
      signal: ended,
      mayUseLocalResults: true,
      // Set before the store is read: a change during the query may not be in its result.
      onReads: reads => {
        if (ended.aborted) return
        const areNew = this.#index.set(query, reads)
        this.#options.onReads?.(companyId, reads, areNew)
      },
    })
    if (executed.errors || ended.aborted) return executed.errors ?? []
    try {
      return await serializeResult(executed, this.#options.resultBytes)
    } catch (error) {
      if (error instanceof GraphQLError) return [error.toJSON()]
      throw error
    }
  }

  #succeeded(query: LiveQuery, result: SerializedResult): void {
    query.failures = 0
    query.timeouts = 0
    if (query.result?.digest !== result.digest) this.#cache(query, result)
    query.publish(result)
  }

  /** Replaces the cached result for later subscribers. Without memory for it, none is cached. */
  #cache(query: LiveQuery, result: SerializedResult | null): void {
    if (query.result) this.#cachedBytes.release(query.companyId, query.result.json.length)
    query.result = result && this.#cachedBytes.reserve(query.companyId, result.json.length) ? result : null
  }

  /** Retries temporary failures, because clients treat an error as the end of the subscription. */
  #failed(query: LiveQuery, errors: readonly GraphQLFormattedError[]): void {
    query.timeouts = errors.some(isTimeout) ? query.timeouts + 1 : 0
    // A query that had a result before may succeed again.
    const maySlow = !query.isAwaited && query.timeouts < maxTimeouts
    const isPassing = errors.every(error => codeOf(error) === 'unavailable' || (maySlow && isTimeout(error)))
    if (!isPassing) return query.fail(errors)
    const { firstRetryMs = usualFirstRetryMs } = this.#options
    const pauseMs = Math.min(maxRetryMs, firstRetryMs * 2 ** query.failures++)
    query.state = 'pausing'
    setTimeout(() => {
      if (query.ended.aborted) return
      query.state = 'idle'
      this.#request(query)
    }, pauseMs).unref()
  }
}

function isTimeout(error: GraphQLFormattedError): boolean {
  return codeOf(error) === 'time-limit-exceeded'
}

function isAgain({ state }: LiveQuery): boolean {
  return state === 'again'
}
