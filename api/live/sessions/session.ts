import type { Logger } from 'pino'
import { shortenMessage } from '../../../schema/error-text.ts'
import { ApiError } from '../../../schema/errors.ts'
import type { CloseReason, LiveCode, LiveFailure } from '../../../schema/requests/live.ts'
import type { Shares } from '../../../shared/shares.ts'
import { InvalidToken } from '../../auth/authenticate.ts'
import { insufficientScope, permits, type ScopeRule } from '../../auth/scopes.ts'
import type { Connection, RawMessage, Receiver } from '../outbox/connection.ts'
import { CommandFailed, unavailableCode } from '../failure.ts'
import type { FlushScheduler } from '../outbox/flush-scheduler.ts'
import type { Frame, Outgoing } from '../outbox/frame.ts'
import { Subscriber, type BufferLimits } from '../outbox/subscriber.ts'
import type { ConnectionPermit } from '../limits/connection-admission.ts'
import { CommandLimiter } from '../limits/command-limiter.ts'
import { CommandQueue } from '../limits/command-queue.ts'
import { type LiveCaller, rejectExpired, type TokenCheck } from './token-check.ts'

/** A session of any protocol. */
export interface OpenSession {
  readonly subscriber: Pick<Subscriber, 'checkPace'>
  /** The authenticated caller; null: none yet. */
  readonly caller: LiveCaller | null
  /** Verifies the token again, and ends the session if it is invalid. */
  recheck(): Promise<void>
  /** Sends the reason and closes the connection. */
  end(reason: CloseReason): void
}

/** The parts of a process that its sessions share. */
export interface SessionHost {
  /** All sessions until their connections are closed. */
  readonly open: Set<OpenSession>
  readonly scheduler: FlushScheduler
  readonly checkToken: TokenCheck
  /** Increases with each change of a key, user or session. */
  readonly accessChanges: number
  /** Bytes of waiting commands in this process, by company, and by address for those that have not joined. */
  readonly waiting: Shares
  readonly clock: () => number
  readonly logger: Logger
}

export interface SessionLimits {
  /** Limits of the unsent messages of one connection. */
  readonly buffer: BufferLimits
  readonly commandsPerSecond: number
}

export interface SessionOptions<Sent extends Outgoing> extends SessionLimits {
  /** The channel, or the protocol if it has no channels. */
  readonly name: string
  /** Scopes of a caller that may join. */
  readonly scope: ScopeRule
  readonly connection: Connection<Sent>
  readonly permit: ConnectionPermit
}

interface Joined {
  readonly token: string
  readonly caller: LiveCaller
}

/** One client of a protocol: its output, its caller, and its commands, which run one after the other. */
export abstract class Session<Sent extends Outgoing = Frame> implements OpenSession, Receiver {
  readonly name: string
  readonly subscriber: Subscriber<Sent>
  protected readonly limiter: CommandLimiter
  protected readonly queue: CommandQueue
  readonly #host: SessionHost
  readonly #permit: ConnectionPermit
  readonly #scope: ScopeRule
  #joined: Joined | null = null
  #isClosed = false

  constructor(host: SessionHost, options: SessionOptions<Sent>) {
    const { name, scope, connection, permit, buffer, commandsPerSecond } = options
    this.name = name
    this.subscriber = new Subscriber(connection, host.scheduler, buffer)
    this.limiter = new CommandLimiter(commandsPerSecond, performance.now())
    this.queue = new CommandQueue(host.waiting, error =>
      host.logger.error({ err: error, channel: name }, 'Live command failed'),
    )
    this.#host = host
    this.#permit = permit
    this.#scope = scope
    host.open.add(this)
    permit.add(this)
  }

  get companyId(): string {
    if (this.#joined === null) throw new Error('invariant: the session has joined')
    return this.#joined.caller.companyId
  }

  get isJoined(): boolean {
    return this.#joined !== null
  }

  get caller(): LiveCaller | null {
    return this.#joined?.caller ?? null
  }

  abstract receive(message: RawMessage, reply?: (outcome: unknown) => void): void

  control(bytes: number): void {
    this.count(bytes)
  }

  onDrain(): void {
    this.subscriber.onDrain()
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.subscriber.closed()
    this.queue.clear()
    this.leave()
    this.#host.open.delete(this)
    this.#permit.remove(this)
  }

  async recheck(): Promise<void> {
    const before = this.#joined
    if (before === null) return
    const isSame = () => this.#joined?.token === before.token
    try {
      rejectExpired(before.caller, this.#host.clock())
      const joined = await this.#check(before.token, true)
      if (isSame()) this.#joined = joined
    } catch (error) {
      const { code, message } = this.failureOf(error)
      // If the token cannot be verified, the last verification remains valid.
      if (isSame() && (code === 'invalid_token' || code === 'insufficient_scope')) this.end(code, message)
    }
  }

  abstract end(reason: CloseReason, message?: string): void

  /** Called when a session that had joined leaves, also because it ends. */
  protected abstract left(): void

  /** Whether the connection is closed or about to close. */
  protected get isClosed(): boolean {
    return this.#isClosed || this.subscriber.isClosed
  }

  /** The tenant of the quota of waiting commands. */
  protected get tenant(): string {
    return this.caller?.companyId ?? `address ${this.#permit.address}`
  }

  /** Counts a message or a control frame; returns whether it is within the rate. Ends the session of a flooding client. */
  protected count(bytes: number): boolean {
    if (this.isClosed) return false
    const verdict = this.limiter.count(performance.now(), bytes)
    if (verdict === 'flood') this.end('rate_limited')
    return verdict === 'allowed'
  }

  /** Joins as the caller of a token. Returns false if the session has ended meanwhile; rejects if it may not join. */
  protected async join(token: string): Promise<boolean> {
    const changes = this.#host.accessChanges
    const joined = await this.#check(token, false)
    if (this.isClosed) return false
    if (!this.#permit.join(joined.caller.companyId))
      throw new CommandFailed('too_many_connections', 'Limit of live connections of the company reached')
    this.#joined = joined
    // The change during the check may affect the token, so it is verified again.
    if (this.#host.accessChanges !== changes) await this.recheck()
    return this.isJoined
  }

  protected leave(): void {
    if (this.#joined === null) return
    this.#permit.leave(this.#joined.caller.companyId)
    this.#joined = null
    this.left()
  }

  /** Returns the failure that the client receives for an error. */
  protected failureOf(error: unknown): LiveFailure {
    if (error instanceof CommandFailed) return error.failure
    if (error instanceof InvalidToken) return { code: 'invalid_token', message: shortenMessage(error.message) }
    if (error instanceof ApiError && error.status === 429) return { code: 'rate_limited', message: error.message }
    const code = unavailableCode(error) ?? 'internal_error'
    this.#host.logger.warn({ err: error, channel: this.name }, 'Live command failed')
    return { code, message: messages[code] ?? messages.internal_error }
  }

  async #check(token: string, isJoined: boolean): Promise<Joined> {
    const caller = await this.#host.checkToken(token, isJoined ? null : this.#permit.address)
    if (permits(this.#scope, caller.scopes)) return { token, caller }
    throw new CommandFailed('insufficient_scope', insufficientScope(this.#scope).message)
  }
}

const messages: { readonly [Code in LiveCode]?: string } & { readonly internal_error: string } = {
  log_unavailable: 'The log is unavailable. Retry later.',
  store_unavailable: 'The store is unavailable. Retry later.',
  internal_error: 'Internal error',
}
