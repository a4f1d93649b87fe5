import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { unexpected } from '../compile/problem.ts'
import type { Read } from '../run/reads.ts'
import type { Source } from '../model/readings.ts'
import type { EvaluationQueue } from './evaluation-queue.ts'
import { type LiveQueryFollower, LiveQuery } from './live-query.ts'
import { codeOf, type Operations } from './operations.ts'
import type { OperationRequest, Prepared } from './prepare.ts'
import { KeptResults, type SerializedResult, serializeResult } from './result.ts'
import { type SourceChange, Watches } from './watches.ts'

export interface LiveQueriesOptions {
  readonly operations: Pick<Operations, 'run'>
  /** Does the evaluations. */
  readonly queue: EvaluationQueue
  /** Largest result of a subscription. */
  readonly resultBytes: number
  /** Room for the latest results of all subscriptions, each company its share. */
  readonly keptBytes: number
  /** Whether there are several companies. */
  readonly isShared: () => boolean
  /** Told what each evaluation reads, before it is read, and whether the one before read something else. */
  readonly onReads?: (companyId: string, reads: readonly Read[], areNew: boolean) => void
  /** Pause after a first failure; each further one in a row doubles it. */
  readonly firstRetryMs?: number
}

/** A subscription that a client asks for. */
export interface Subscribing {
  readonly companyId: string
  readonly prepared: Prepared
  readonly variables: OperationRequest['variables']
  /** Equal for equal values of the variables. */
  readonly variablesText: string
}

const usualFirstRetryMs = 500
const longestRetryMs = 10_000
/** A query that takes too long so often in a row is ended: it would take its company's time for ever. */
const mostTimeouts = 5

/**
 * The subscriptions of all clients. Equal ones of a company are one query, evaluated when something that it reads has changed:
 * at most once at a time, and again afterwards where something has changed meanwhile.
 */
export class LiveQueries {
  readonly #options: LiveQueriesOptions
  readonly #queries = new Map<string, LiveQuery>()
  readonly #watches = new Watches<LiveQuery>()
  readonly #kept: KeptResults
  #evaluations = 0

  constructor(options: LiveQueriesOptions) {
    this.#options = options
    this.#kept = new KeptResults(options.keptBytes, options.isShared)
  }

  /** Distinct queries that are followed now. */
  get distinct(): number {
    return this.#queries.size
  }

  /** Evaluations since the start. */
  get evaluations(): number {
    return this.#evaluations
  }

  /** Follows a query: its present result comes as soon as it is known, then each other one. Returns what ends it. */
  subscribe(subscribing: Subscribing, follower: LiveQueryFollower): () => void {
    const { companyId, prepared, variables, variablesText } = subscribing
    const id = JSON.stringify([companyId, prepared.text, variablesText])
    const query = this.#queries.get(id) ?? this.#begin(id, new LiveQuery(companyId, prepared, variables))
    query.follow(follower)
    const kept = this.#kept.get(query)
    if (kept) query.tell(kept)
    else if (query.state === 'waiting') this.#hasten(query)
    else if (query.state === 'idle') this.#enqueue(query)
    return () => query.leave(follower)
  }

  /** Whether a subscription of a company reads a source. */
  isRead(companyId: string, source: Source): boolean {
    return this.#watches.isRead(companyId, source)
  }

  /** Whether a subscription of any company reads a source. */
  isReadByAny(source: Source): boolean {
    return this.#watches.isReadByAny(source)
  }

  /** Something has changed that queries may read. */
  changed(change: SourceChange): void {
    this.#watches.each(change, query => this.#request(query))
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
    this.#watches.delete(query)
    this.#kept.delete(query)
  }

  #request(query: LiveQuery): void {
    if (query.state === 'running') query.state = 'again'
    if (query.state === 'idle') this.#enqueue(query)
  }

  /** Somebody waits for the first result of a query whose evaluation waits. */
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

  /** Rejects where it fails in a way that nobody foresaw; the query ends then. */
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
      query.fail([unexpected])
      throw error
    }
  }

  /** The result, or why there is none. */
  async #outcomeOf(query: LiveQuery): Promise<SerializedResult | readonly GraphQLFormattedError[]> {
    const { companyId, prepared, variables, ended } = query
    const answer = await this.#options.operations.run(prepared, variables, {
      companyId,
      signal: ended,
      mayRemember: true,
      // Before the store is asked: a change that comes now may not be in its answer.
      onReads: reads => {
        if (ended.aborted) return
        const areNew = this.#watches.set(query, reads)
        this.#options.onReads?.(companyId, reads, areNew)
      },
    })
    if (answer.errors || ended.aborted) return answer.errors ?? []
    try {
      return await serializeResult(answer, this.#options.resultBytes)
    } catch (error) {
      if (error instanceof GraphQLError) return [error.toJSON()]
      throw error
    }
  }

  #succeeded(query: LiveQuery, result: SerializedResult): void {
    query.failures = 0
    query.timeouts = 0
    this.#keep(query, result)
    query.tell(result)
  }

  #keep(query: LiveQuery, result: SerializedResult): void {
    if (this.#kept.get(query)?.digest !== result.digest) this.#kept.set(query, query.companyId, result)
  }

  /** Tries again where it may be better in a moment; clients take an error as the end. */
  #failed(query: LiveQuery, errors: readonly GraphQLFormattedError[]): void {
    query.timeouts = errors.some(isTimeout) ? query.timeouts + 1 : 0
    // A query that had an answer before may have one again.
    const maySlow = !query.isAwaited && query.timeouts < mostTimeouts
    const isPassing = errors.every(error => codeOf(error) === 'unavailable' || (maySlow && isTimeout(error)))
    if (!isPassing) return query.fail(errors)
    const { firstRetryMs = usualFirstRetryMs } = this.#options
    const pauseMs = Math.min(longestRetryMs, firstRetryMs * 2 ** query.failures++)
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
