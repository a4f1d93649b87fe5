import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Shares } from '../../../shared/shares.ts'
import type { Subscriber } from '../../live/subscriber.ts'
import { type ErrorCode, problem, unexpected } from '../compile/problem.ts'
import type { EvaluationQueue } from '../subscriptions/evaluation-queue.ts'
import type { LiveQueries } from '../subscriptions/live-queries.ts'
import type { Operations } from '../subscriptions/operations.ts'
import type { Preparations, Taken } from '../subscriptions/preparations.ts'
import { type OperationRequest, OperationRefused } from '../subscriptions/prepare.ts'
import { type Result, resultOf } from '../subscriptions/result.ts'
import type { Protocol } from './protocol.ts'
import { SocketFrame } from './socket-frame.ts'

export interface ClientOperationsDeps {
  readonly queries: LiveQueries
  readonly operations: Operations
  readonly preparations: Preparations
  /** Does what operations cost. */
  readonly queue: EvaluationQueue
  /** Operations of all connections, each company its share. */
  readonly places: Shares
  /** Counts a query of a company; false: it has asked too many. */
  readonly takeRequest: (companyId: string) => boolean
  readonly operationsOfConnection: number
  /** Largest answer of a query. */
  readonly answerBytes: number
  readonly logger: Logger
}

/** An operation that is not over. */
interface Open {
  /** Its place among the frames that newer ones replace. */
  readonly slot: number
  readonly ended: AbortController
}

/** The operations of one connection, by the ids that the client gives them. */
export class ClientOperations {
  readonly #protocol: Protocol
  readonly #subscriber: Subscriber<SocketFrame>
  readonly #deps: ClientOperationsDeps
  readonly #open = new Map<string, Open>()
  #lastSlot = 0

  constructor(protocol: Protocol, subscriber: Subscriber<SocketFrame>, deps: ClientOperationsDeps) {
    this.#protocol = protocol
    this.#subscriber = subscriber
    this.#deps = deps
  }

  /** Operations that are not over. */
  get size(): number {
    return this.#open.size
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** Begins an operation; where there is no room for it, the client is told. */
  start(id: string, companyId: string, request: OperationRequest): void {
    const { operationsOfConnection: most, places, queue } = this.#deps
    if (this.#open.size >= most) return this.fail(id, `A connection has at most ${most} operations at once`)
    if (!places.take(companyId, 1)) return this.fail(id, 'The company has as many operations as it may have')
    const open: Open = { slot: ++this.#lastSlot, ended: new AbortController() }
    this.#open.set(id, open)
    onceAborted(open.ended.signal, () => places.give(companyId, 1))
    queue.add(companyId, () => this.#run(id, open, companyId, request), { isUrgent: true })
  }

  /** The client wants no more of it: what waits for it is forgotten, as the id may be used again. */
  stop(id: string): void {
    const open = this.#open.get(id)
    if (!open) return
    this.#subscriber.forget(open.slot)
    this.#end(id)
  }

  stopAll(): void {
    for (const id of this.#open.keys()) this.#end(id)
  }

  /** Says that an operation could not begin. */
  fail(id: string, message: string): void {
    this.#fail(id, [{ message, extensions: { code: 'start-failed' satisfies ErrorCode } }])
  }

  async #run(id: string, open: Open, companyId: string, request: OperationRequest): Promise<void> {
    if (open.ended.signal.aborted) return
    try {
      const taken = this.#deps.preparations.take(request)
      onceAborted(open.ended.signal, taken.release)
      if (taken.prepared.isSubscription) this.#subscribe(id, open, companyId, { ...taken, request })
      else await this.#answer(id, open, companyId, { ...taken, request })
    } catch (error) {
      const errors = shownOf(error)
      if (!errors) this.#deps.logger.error({ err: error }, 'GraphQL failed')
      this.#fail(id, errors ?? [unexpected])
    }
  }

  #subscribe(id: string, open: Open, companyId: string, { prepared, variablesText, request }: Started): void {
    const subscribing = { companyId, prepared, variables: request.variables, variablesText }
    const leave = this.#deps.queries.subscribe(subscribing, {
      next: result => this.#next(id, open, result),
      fail: errors => this.#fail(id, errors),
    })
    onceAborted(open.ended.signal, leave)
  }

  async #answer(id: string, open: Open, companyId: string, { prepared, request }: Started): Promise<void> {
    const { operations, takeRequest } = this.#deps
    if (!takeRequest(companyId)) throw new OperationRefused([tooManyRequests])
    const { signal } = open.ended
    const answer = await operations.run(prepared, request.variables, { companyId, signal })
    if (signal.aborted) return
    const result = await resultOf(answer, this.#deps.answerBytes)
    if (signal.aborted) return
    this.#next(id, open, result)
    this.#end(id)
    this.#push(this.#protocol.complete(id))
  }

  #next(id: string, { slot }: Open, { json }: Result): void {
    const [before, after] = this.#protocol.next(id)
    this.#subscriber.offer(slot, new SocketFrame([before, json, after]))
  }

  #fail(id: string, errors: readonly GraphQLFormattedError[]): void {
    this.#end(id)
    this.#push(this.#protocol.error(id, errors))
  }

  #end(id: string): void {
    const open = this.#open.get(id)
    this.#open.delete(id)
    open?.ended.abort()
  }

  #push(text: string): void {
    this.#subscriber.push(new SocketFrame([text]))
  }
}

type Started = Taken & { readonly request: OperationRequest }

const tooManyRequests = problem('rate-limit-exceeded', 'Too many GraphQL requests of this company')

/** The errors that a client may see; null: it is none of these. */
function shownOf(error: unknown): readonly GraphQLFormattedError[] | null {
  if (error instanceof OperationRefused) return error.errors
  return error instanceof GraphQLError ? [error.toJSON()] : null
}

function onceAborted(signal: AbortSignal, run: () => void): void {
  if (signal.aborted) run()
  else signal.addEventListener('abort', run, { once: true })
}
