import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import type { Shares } from '../../../shared/shares.ts'
import type { Subscriber } from '../../live/outbox/subscriber.ts'
import { type ErrorCode, problem, unexpectedError } from '../compile/problem.ts'
import { rejectLargeVariables } from '../run/argument-budget.ts'
import type { EvaluationQueue } from '../subscriptions/evaluation-queue.ts'
import type { LiveQueries } from '../subscriptions/live-queries.ts'
import type { Operations } from '../subscriptions/operations.ts'
import { outOfMemory, type Preparations, type PreparedRequest } from '../subscriptions/preparations.ts'
import { type OperationRequest, OperationRejected } from '../subscriptions/prepare.ts'
import { type SerializedResult, serializeResult } from '../subscriptions/result.ts'
import type { Protocol } from './protocol.ts'
import { type ResultFrames, SocketFrame } from './socket-frame.ts'

export interface ClientOperationsDeps {
  readonly queries: LiveQueries
  readonly operations: Pick<Operations, 'run'>
  readonly preparations: Preparations
  readonly queue: EvaluationQueue
  /** Number of operations of all connections, in fair shares by company. */
  readonly slots: Shares
  /** Memory of these operations in bytes, in fair shares by company. */
  readonly memory: Shares
  /** Counts a query of a company; false: rate limit exceeded. */
  readonly countRequest: (companyId: string) => boolean
  /** Counts a new subscription of a company; false: rate limit exceeded. */
  readonly countStart: (companyId: string) => boolean
  readonly operationsOfConnection: number
  /** Maximum size of a query's response. */
  readonly resultBytes: number
  readonly frames: ResultFrames
  readonly logger: Logger
}

interface Open {
  /** Its slot among the frames that newer ones replace. */
  readonly slot: number
  readonly ended: AbortController
}

/** The operations of one connection, by the ids that the client assigns. */
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

  get size(): number {
    return this.#open.size
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** Starts an operation; sends an error to the client if a limit is reached. `chars`: length of the message. */
  start(id: string, companyId: string, request: OperationRequest, chars: number): void {
    const { operationsOfConnection: maxOperations, slots, memory, queue } = this.#deps
    if (this.#open.size >= maxOperations)
      return this.fail(id, `Limit of ${maxOperations} operations of the connection reached`)
    const errors = variableErrors(request)
    if (errors) return this.#fail(id, errors)
    const weight = fixedBytes + bytesPerChar * chars
    if (!memory.reserve(companyId, weight)) return this.#fail(id, [outOfMemory.toJSON()])
    if (!slots.reserve(companyId, 1)) {
      memory.release(companyId, weight)
      return this.fail(id, 'Limit of operations of the company reached')
    }
    const open: Open = { slot: ++this.#lastSlot, ended: new AbortController() }
    this.#open.set(id, open)
    const cancel = queue.add(companyId, () => this.#run(id, open, companyId, request), { isUrgent: true })
    onceAborted(open.ended.signal, () => {
      cancel()
      slots.release(companyId, 1)
      memory.release(companyId, weight)
    })
  }

  /**
   * Ends an operation on request of the client. Its unsent messages are dropped, because the client may use the id
   * again.
   */
  stop(id: string): void {
    const open = this.#open.get(id)
    if (!open) return
    this.#subscriber.forget(open.slot)
    this.#end(id)
  }

  stopAll(): void {
    for (const id of this.#open.keys()) this.#end(id)
  }

  /** Sends an error for an operation that could not start. */
  fail(id: string, message: string): void {
    this.#fail(id, [{ message, extensions: { code: 'start-failed' satisfies ErrorCode } }])
  }

  async #run(id: string, open: Open, companyId: string, request: OperationRequest): Promise<void> {
    if (open.ended.signal.aborted) return
    try {
      const acquired = this.#deps.preparations.acquire(companyId, request)
      onceAborted(open.ended.signal, acquired.release)
      if (acquired.prepared.isSubscription) this.#subscribe(id, open, companyId, acquired)
      else await this.#respond(id, open, companyId, acquired)
    } catch (error) {
      // The client may use the id for another operation already.
      if (open.ended.signal.aborted) return
      const errors = findPublicErrors(error)
      if (!errors) this.#deps.logger.error({ err: error }, 'GraphQL operation failed')
      this.#fail(id, errors ?? [unexpectedError])
    }
  }

  #subscribe(id: string, open: Open, companyId: string, { prepared, variables, variablesText }: PreparedRequest): void {
    if (!this.#deps.countStart(companyId)) throw new OperationRejected([tooManyStarts])
    const leave = this.#deps.queries.subscribe(
      { companyId, prepared, variables, variablesText },
      {
        next: result => this.#next(id, open, result),
        fail: errors => this.#fail(id, errors),
      },
    )
    onceAborted(open.ended.signal, leave)
  }

  async #respond(id: string, open: Open, companyId: string, { prepared, variables }: PreparedRequest): Promise<void> {
    const { operations, countRequest } = this.#deps
    if (!countRequest(companyId)) throw new OperationRejected([tooManyRequests])
    const { signal } = open.ended
    const executed = await operations.run(prepared, variables, { companyId, signal })
    if (signal.aborted) return
    const result = await serializeResult(executed, this.#deps.resultBytes)
    if (signal.aborted) return
    this.#next(id, open, result)
    this.#end(id)
    this.#push(this.#protocol.complete(id))
  }

  #next(id: string, { slot }: Open, { json }: SerializedResult): void {
    this.#subscriber.offer(slot, this.#deps.frames.of(json, this.#protocol.next(id)))
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

/**
 * Approximate memory of an operation without its prepared query: a constant, and a factor per character of its message.
 */
const fixedBytes = 1_000
const bytesPerChar = 4

const tooManyRequests = problem('rate-limit-exceeded', 'Too many GraphQL requests of this company. Retry later.')
const tooManyStarts = problem('rate-limit-exceeded', 'Too many new subscriptions of this company')

/** Errors in the variables of a request, before anything of it is stored; null: valid. */
function variableErrors({ variables }: OperationRequest): readonly GraphQLFormattedError[] | null {
  try {
    rejectLargeVariables(variables)
    return null
  } catch (error) {
    return new OperationRejected([error]).errors
  }
}

/** The errors for the client; null: an unexpected error. */
function findPublicErrors(error: unknown): readonly GraphQLFormattedError[] | null {
  if (error instanceof OperationRejected) return error.errors
  return error instanceof GraphQLError ? [error.toJSON()] : null
}

function onceAborted(signal: AbortSignal, run: () => void): void {
  if (signal.aborted) run()
  else signal.addEventListener('abort', run, { once: true })
}
