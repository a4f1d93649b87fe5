import { CloseCode } from 'graphql-ws'
import type { CloseReason, LiveCode } from '../../../schema/requests/live.ts'
import { JsonOutOfBounds, type JsonBounds } from '../../../shared/json/bounds.ts'
import { parseJson } from '../../../shared/json/parse-json.ts'
import { InvalidToken } from '../../auth/authenticate.ts'
import { anyOf } from '../../auth/scopes.ts'
import type { RawMessage } from '../../live/outbox/connection.ts'
import { maxGuestMessageBytes } from '../../live/limits/message-limits.ts'
import type { ConnectionPermit } from '../../live/limits/connection-admission.ts'
import { Session, type SessionHost, type SessionLimits } from '../../live/sessions/session.ts'
import { closeCodes } from '../../live/transport/plain.ts'
import type { WsConnection } from '../../live/transport/ws-acceptor.ts'
import type { ErrorCode } from '../compile/problem.ts'
import type { OperationRequest } from '../subscriptions/prepare.ts'
import { ClientOperations, type ClientOperationsDeps } from './client-operations.ts'
import type { ClientMessage, Protocol } from './protocol.ts'
import { SocketFrame } from './socket-frame.ts'
import { parseToken } from './parse-token.ts'

export interface SocketSessionDeps extends ClientOperationsDeps, SessionLimits {
  readonly bounds: JsonBounds
}

/** One client's WebSocket. */
export interface SocketClient {
  readonly protocol: Protocol
  readonly permit: ConnectionPermit
  readonly connection: Pick<WsConnection, 'write' | 'close' | 'end'>
  /** Header `Authorization` of the upgrade. */
  readonly authorization: string | undefined
}

const scope = anyOf('reporting')
/** The slot of `keepAlive` among the frames that newer ones replace; operations have other slots. */
const keepAliveSlot = 0

/** One client of GraphQL on a WebSocket: its operations. */
export class SocketSession extends Session<SocketFrame> {
  readonly #client: SocketClient
  readonly #deps: SocketSessionDeps
  readonly #operations: ClientOperations

  /** Opens the session of a client; charges the time for sending results to its company. */
  static open(client: SocketClient, host: SessionHost, deps: SocketSessionDeps): SocketSession {
    const { connection } = client
    const charged: SocketClient['connection'] = {
      write(frames) {
        const startedMs = performance.now()
        const hasRoom = connection.write(frames)
        if (session.isJoined) deps.queue.charge(session.companyId, performance.now() - startedMs)
        return hasRoom
      },
      close: reason => connection.close(reason),
      end: (code, reason) => connection.end(code, reason),
    }
    const session = new SocketSession({ ...client, connection: charged }, host, deps)
    return session
  }

  constructor(client: SocketClient, host: SessionHost, deps: SocketSessionDeps) {
    super(host, { ...client, ...deps, name: 'graphql', scope })
    this.#client = client
    this.#deps = deps
    this.#operations = new ClientOperations(client.protocol, this.subscriber, deps)
  }

  get operations(): number {
    return this.#operations.size
  }

  /** Checks the limits of a message, then parses it. Messages that follow the token wait until it is verified. */
  receive(message: RawMessage): void {
    const { bytes } = message
    if (!this.count(bytes)) return
    if (!this.queue.hasRoom(this.tenant, bytes)) return this.end('rate_limited')
    const isFirst = this.queue.isEmpty
    if (isFirst && !this.isJoined && bytes > maxGuestMessageBytes)
      return this.#close(closeCodes.invalid_token, 'Unauthorized')
    const text = message.text()
    if (isFirst) this.#read(text, bytes)
    else this.#enqueue(bytes, async () => this.#read(text, bytes))
  }

  keepAlive(): void {
    const { keepAlive } = this.#client.protocol
    if (keepAlive !== null && this.isJoined) this.subscriber.offer(keepAliveSlot, new SocketFrame([keepAlive]))
  }

  end(reason: CloseReason): void {
    this.#close(closeCodes[reason], tokenErrors[reason] ?? reason)
  }

  protected left(): void {
    this.#operations.stopAll()
  }

  /** Counts a message; ends the session beyond the rate limit. */
  protected override count(bytes: number): boolean {
    const isWithin = super.count(bytes)
    if (!isWithin) this.end('rate_limited')
    return isWithin
  }

  #enqueue(bytes: number, run: () => Promise<void>): void {
    this.queue.add(this.tenant, bytes, async () => {
      if (!this.isClosed) await run()
    })
  }

  #read(text: string, bytes: number): void {
    const message = this.#parse(text)
    if (!message) return this.#close(CloseCode.BadRequest, 'Invalid or too large message')
    switch (message.kind) {
      case 'init':
        if (this.isJoined) return this.#close(CloseCode.TooManyInitialisationRequests, tooManyInits)
        return this.#enqueue(bytes, () => this.#init(message.payload))
      case 'start':
        return this.#start(message.id, message.request, text.length)
      case 'stop':
        return this.#operations.stop(message.id)
      case 'ping':
        return this.#push(this.#client.protocol.pong)
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

  /** Verifies the token; a rejected one closes the connection. */
  async #init(payload: unknown): Promise<void> {
    const { protocol, authorization } = this.#client
    try {
      const token = parseToken(payload, authorization)
      if (token === null) throw new InvalidToken('An access token is required')
      if (!(await this.join(token))) return
      this.#push(protocol.acknowledged)
      this.keepAlive()
    } catch (error) {
      this.#reject(error)
    }
  }

  #reject(error: unknown): void {
    if (this.isClosed) return
    const { code: failure, message } = this.failureOf(error)
    if (failure === 'too_many_connections') return this.end(failure)
    const code = tokenErrors[failure] ?? (failure === 'rate_limited' ? 'rate-limit-exceeded' : 'unavailable')
    const shown = code === 'unavailable' ? 'Cannot verify credentials. Retry later.' : message
    this.#push(this.#client.protocol.rejected({ message: shown, extensions: { code } }))
    if (failure === 'invalid_token' || failure === 'insufficient_scope') this.end(failure)
    else this.#close(tryAgainLater, code)
  }

  #start(id: string, request: OperationRequest, chars: number): void {
    const { isLenient } = this.#client.protocol
    if (!this.isJoined) {
      if (!isLenient) return this.#close(CloseCode.Unauthorized, 'Unauthorized')
      return this.#operations.fail(id, 'Send connection_init before operations')
    }
    if (this.#operations.has(id)) {
      if (!isLenient) return this.#close(CloseCode.SubscriberAlreadyExists, 'A subscriber with this id exists already')
      this.#operations.stop(id)
    }
    this.#operations.start(id, this.companyId, request, chars)
  }

  /** Sends a message; null: the protocol has none. */
  #push(text: string | null): void {
    if (text !== null) this.subscriber.push(new SocketFrame([text]))
  }

  #close(code: number, reason: string): void {
    if (this.isClosed) return
    this.leave()
    this.subscriber.flush()
    this.subscriber.closed()
    this.#client.connection.end(code, reason)
  }
}

const tooManyInits = 'Too many initialisation requests'
const normalClosure = 1000
const tryAgainLater = 1013

/** Codes of rejected tokens. */
const tokenErrors: { readonly [Code in LiveCode | CloseReason]?: ErrorCode } = {
  invalid_token: 'invalid-jwt',
  insufficient_scope: 'access-denied',
}
