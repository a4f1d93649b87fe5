import { shortenMessage } from '../../../schema/error-text.ts'
import { CloseCode } from 'graphql-ws'
import { ApiError } from '../../../schema/errors.ts'
import type { CloseReason } from '../../../schema/requests/live.ts'
import { JsonOutOfBounds, type JsonBounds } from '../../../shared/json/bounds.ts'
import { parseJson } from '../../../shared/json/parse-json.ts'
import type { Shares } from '../../../shared/shares.ts'
import { neverRejects } from '../../../shared/async/never-rejects.ts'
import { InvalidToken } from '../../auth/authenticate.ts'
import { anyOf, permits } from '../../auth/scopes.ts'
import type { TokenHolder } from '../../live/sessions/access-watch.ts'
import type { ConnectionPermit } from '../../live/sessions/admission.ts'
import { CommandLimiter } from '../../live/sessions/command-limiter.ts'
import { maxGuestMessageBytes } from '../../live/message-bounds.ts'
import type { Subscriber } from '../../live/subscriber.ts'
import { type LiveCaller, refuseEnded, type TokenCheck } from '../../live/sessions/token-check.ts'
import { closeCodes } from '../../live/transport/plain.ts'
import type { ErrorCode } from '../compile/problem.ts'
import type { OperationRequest } from '../subscriptions/prepare.ts'
import { ClientOperations, type ClientOperationsDeps } from './client-operations.ts'
import type { ClientMessage, Protocol } from './protocol.ts'
import type { SocketConnection } from './socket-connection.ts'
import { SocketFrame } from './socket-frame.ts'
import { tokenOf } from './token-of.ts'

export interface SocketSessionDeps extends ClientOperationsDeps {
  readonly checkToken: TokenCheck
  /** Increases with each change of a key, user or session. */
  readonly accessChanges: () => number
  readonly clock: () => number
  /** Limits of a message. */
  readonly bounds: JsonBounds
  /** Bytes of messages that wait for a token check, by address. */
  readonly waiting: Shares
  readonly commandsPerSecond: number
}

interface Client {
  readonly protocol: Protocol
  readonly permit: ConnectionPermit
  readonly connection: Pick<SocketConnection, 'end'>
  readonly subscriber: Subscriber<SocketFrame>
  /** Header `Authorization` of the upgrade. */
  readonly authorization: string | undefined
}

interface Joined {
  readonly token: string
  readonly caller: LiveCaller
}

const rule = anyOf('reporting')
/** The slot of `keepAlive` among the frames that newer ones replace; operations have other slots. */
const keepAliveSlot = 0
/** Maximum number of messages that wait for a token check. */
const maxHeld = 100

/** One client on a WebSocket: its token and its operations. */
export class SocketSession implements TokenHolder {
  readonly #client: Client
  readonly #deps: SocketSessionDeps
  readonly #limiter: CommandLimiter
  readonly #operations: ClientOperations
  #state: 'new' | 'checking' | 'joined' | 'closed' = 'new'
  #joined: Joined | null = null
  #held: string[] = []
  #heldBytes = 0

  constructor(client: Client, deps: SocketSessionDeps) {
    this.#client = client
    this.#deps = deps
    this.#operations = new ClientOperations(client.protocol, client.subscriber, deps)
    this.#limiter = new CommandLimiter(deps.commandsPerSecond, performance.now())
  }

  get caller(): LiveCaller | null {
    return this.#joined?.caller ?? null
  }

  get subscriber(): Subscriber<SocketFrame> {
    return this.#client.subscriber
  }

  get operations(): number {
    return this.#operations.size
  }

  /** Counts a message of the client, including control frames; false: rate limit exceeded, the session ends. */
  count(bytes: number): boolean {
    if (this.#state === 'closed') return false
    const isTaken = this.#limiter.take(performance.now(), bytes) === 'taken'
    if (!isTaken) this.end('rate_limited')
    return isTaken
  }

  /** Checks the limits of a message, then parses it. */
  receive(bytes: number, text: () => string): void {
    if (!this.count(bytes)) return
    if (this.#state === 'checking') return this.#hold(bytes, text())
    if (this.#state === 'new' && bytes > maxGuestMessageBytes)
      return this.#close(closeCodes.invalid_token, 'Unauthorized')
    this.#read(text())
  }

  /** Charges the time for sending results to the company. */
  charge(tookMs: number): void {
    if (this.#joined) this.#deps.queue.charge(this.#joined.caller.companyId, tookMs)
  }

  keepAlive(): void {
    const { keepAlive } = this.#client.protocol
    if (keepAlive !== null && this.#joined) this.subscriber.offer(keepAliveSlot, new SocketFrame([keepAlive]))
  }

  /** Releases everything after the connection has closed. */
  closed(): void {
    if (this.#state === 'closed') return
    this.#leave()
    this.subscriber.closed()
    this.#client.permit.end()
  }

  end(reason: CloseReason): void {
    this.#close(closeCodes[reason], reason)
  }

  /** Checks the token again and ends the connection if it is no longer valid. */
  async recheck(): Promise<void> {
    const joined = this.#joined
    if (!joined) return
    try {
      refuseEnded(joined.caller, this.#deps.clock())
      const again = await this.#check(joined.token, true)
      if (this.#joined === joined) this.#joined = again
    } catch (error) {
      // If the token cannot be checked, the last check remains valid.
      const reason = reasonOf(error)
      if (reason) this.#close(closeCodes[reason], codes[reason])
    }
  }

  #read(text: string): void {
    const message = this.#parse(text)
    if (!message) return this.#close(CloseCode.BadRequest, 'Invalid or too large message')
    switch (message.kind) {
      case 'init':
        if (this.#state !== 'new') return this.#close(CloseCode.TooManyInitialisationRequests, tooManyInits)
        // `#join` closes the connection if the check fails.
        return neverRejects(this.#join(message.payload))
      case 'start':
        return this.#start(message.id, message.request, text.length)
      case 'stop':
        return this.#operations.stop(message.id)
      case 'ping':
        return this.#pong()
      case 'pong':
        return undefined
      case 'terminate':
        return this.#close(normalClosure, 'terminated')
    }
  }

  #parse(text: string): ClientMessage | null {
    try {
      return this.#client.protocol.read(parseJson(text, this.#deps.bounds))
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof JsonOutOfBounds) return null
      throw error
    }
  }

  #pong(): void {
    const { pong } = this.#client.protocol
    if (pong !== null) this.subscriber.push(new SocketFrame([pong]))
  }

  /** Queues messages while the token is checked. */
  #hold(bytes: number, text: string): void {
    const { waiting } = this.#deps
    if (this.#held.length >= maxHeld || !waiting.take(this.#client.permit.address, bytes))
      return this.end('rate_limited')
    this.#held.push(text)
    this.#heldBytes += bytes
  }

  async #join(payload: unknown): Promise<void> {
    const { permit, protocol, authorization } = this.#client
    const token = tokenOf(payload, authorization)
    this.#state = 'checking'
    try {
      if (token === null) throw new InvalidToken('An access token is required')
      const changes = this.#deps.accessChanges()
      const joined = await this.#check(token, false)
      if (this.#isClosed) return
      if (!permit.join(joined.caller.companyId)) return this.end('too_many_connections')
      this.#joined = joined
      // The change during the check may affect the token, so it is checked again.
      if (this.#deps.accessChanges() !== changes) await this.recheck()
      if (this.#isClosed) return
      this.#state = 'joined'
      this.#push(protocol.acknowledged)
      this.keepAlive()
      for (const text of this.#takeHeld()) if (!this.#isClosed) this.#read(text)
    } catch (error) {
      this.#refuse(error)
    }
  }

  #refuse(error: unknown): void {
    const reason = reasonOf(error)
    const code: ErrorCode = reason ? codes[reason] : isTooMany(error) ? 'rate-limit-exceeded' : 'unavailable'
    if (code === 'unavailable') this.#deps.logger.warn({ err: error }, 'Failed to verify token')
    const message =
      error instanceof Error && code !== 'unavailable'
        ? shortenMessage(error.message)
        : 'Cannot verify credentials. Retry later.'
    const told = this.#client.protocol.refused({ message, extensions: { code } })
    if (told !== null) this.#push(told)
    this.#close(reason ? closeCodes[reason] : tryAgainLater, code)
  }

  #takeHeld(): readonly string[] {
    const held = this.#held
    this.#deps.waiting.give(this.#client.permit.address, this.#heldBytes)
    this.#held = []
    this.#heldBytes = 0
    return held
  }

  async #check(token: string, wasGood: boolean): Promise<Joined> {
    const caller = await this.#deps.checkToken(token, wasGood ? null : this.#client.permit.address)
    if (!permits(rule, caller.scopes)) throw new MissingScope('Missing scope: reporting')
    return { token, caller }
  }

  #start(id: string, request: OperationRequest, chars: number): void {
    const { isLenient } = this.#client.protocol
    if (!this.#joined) {
      if (!isLenient) return this.#close(CloseCode.Unauthorized, 'Unauthorized')
      return this.#operations.fail(id, 'Send connection_init before operations')
    }
    if (this.#operations.has(id)) {
      if (!isLenient) return this.#close(CloseCode.SubscriberAlreadyExists, 'A subscriber with this id exists already')
      this.#operations.stop(id)
    }
    this.#operations.start(id, this.#joined.caller.companyId, request, chars)
  }

  #push(text: string): void {
    this.subscriber.push(new SocketFrame([text]))
  }

  get #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #leave(): void {
    this.#state = 'closed'
    this.#takeHeld()
    this.#operations.stopAll()
    if (this.#joined) this.#client.permit.leave(this.#joined.caller.companyId)
    this.#joined = null
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return
    this.#leave()
    this.subscriber.flush()
    this.subscriber.closed()
    this.#client.permit.end()
    this.#client.connection.end(code, reason)
  }
}

class MissingScope extends Error {
  override readonly name = 'MissingScope'
}

type Refusal = 'invalid_token' | 'insufficient_scope'

const codes: { readonly [Reason in Refusal]: ErrorCode } = {
  invalid_token: 'invalid-jwt',
  insufficient_scope: 'access-denied',
}

/** The reason why a token is rejected; null: it cannot be verified. */
function reasonOf(error: unknown): Refusal | null {
  if (error instanceof InvalidToken) return 'invalid_token'
  return error instanceof MissingScope ? 'insufficient_scope' : null
}

function isTooMany(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429
}

const tooManyInits = 'Too many initialisation requests'
const normalClosure = 1000
const tryAgainLater = 1013
