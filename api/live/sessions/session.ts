import type { Logger } from 'pino'
import type { Channel, CloseReason, LiveCode, LiveFailure } from '../../../schema/requests/live.ts'
import { ApiError } from '../../../schema/errors.ts'
import type { Shares } from '../../../shared/shares.ts'
import { InvalidToken } from '../../auth/authenticate.ts'
import { anyOf, permits } from '../../auth/scopes.ts'
import type { ConnectionPermit } from './admission.ts'
import type { Action, ChannelCore, Member } from '../channel.ts'
import { CommandLimiter } from './command-limiter.ts'
import { CommandQueue } from './command-queue.ts'
import type { RawMessage, ReadMessage, Receiver } from '../connection.ts'
import { CommandFailed, unavailableCode } from '../failure.ts'
import { frameOf } from '../frame.ts'
import { maxGuestMessageBytes } from '../message-bounds.ts'
import { parseJoin } from '../parse.ts'
import type { Subscriber } from '../subscriber.ts'
import { type LiveCaller, refuseEnded, type TokenCheck } from './token-check.ts'
import type { FreshnessPort } from '../../ports/ports.ts'

const liveScope = anyOf('machine.read', 'reporting')

export interface SessionDeps extends FreshnessPort {
  readonly checkToken: TokenCheck
  readonly logger: Logger
  /** Open sessions, including this one until it ends. */
  readonly sessions: Set<LiveSession>
  readonly commandsPerSecond: number
  /** Current problems with their messages, for clients that join. */
  readonly troubles: ReadonlyMap<LiveCode, string>
  /** Bytes of waiting commands in this process, by company, and by address for those that have not joined. */
  readonly waiting: Shares
  /** Increases with each change of a key, user or session. */
  readonly accessChanges: () => number
  readonly clock: () => number
}

interface Joined {
  readonly token: string
  readonly caller: LiveCaller
}

type Reply = (outcome: unknown) => void

/** A received command: its name, and its work, which runs in the order of the queue. */
interface Prepared {
  readonly command: string
  readonly run: () => Promise<unknown>
}

/** One client on one channel: its caller, and its commands, which run one after the other. */
export class LiveSession implements Receiver, Member {
  readonly subscriber: Subscriber
  readonly #channel: ChannelCore
  readonly #permit: ConnectionPermit
  readonly #deps: SessionDeps
  readonly #limiter: CommandLimiter
  readonly #queue: CommandQueue
  #joined: Joined | null = null
  /** Joins that wait or are in progress. */
  #joins = 0
  #isClosed = false

  constructor(channel: ChannelCore, permit: ConnectionPermit, subscriber: Subscriber, deps: SessionDeps) {
    this.subscriber = subscriber
    this.#channel = channel
    this.#permit = permit
    this.#deps = deps
    this.#limiter = new CommandLimiter(deps.commandsPerSecond, performance.now())
    this.#queue = new CommandQueue(deps.waiting, error =>
      deps.logger.error({ err: error, channel: channel.name }, 'Live command failed'),
    )
    deps.sessions.add(this)
    permit.add(this)
  }

  get channel(): Channel {
    return this.#channel.name
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

  /** Checks the limits of a message, then parses it and queues its command. */
  receive(message: RawMessage, reply: Reply = () => undefined): void {
    if (this.#isClosed || this.subscriber.isClosed) return
    const { bytes } = message
    const verdict = this.#limiter.take(performance.now(), bytes)
    if (verdict === 'flood') {
      this.end('rate_limited')
      return
    }
    const isWelcome = verdict === 'taken' && this.#queue.hasRoom(this.#holder, bytes)
    if (!isWelcome) this.#refuse(new CommandFailed('rate_limited', 'Too many commands'), reply)
    else if (bytes <= maxGuestMessageBytes || this.#joined !== null)
      this.#add(bytes, this.#prepare(message.read(message.text())), reply)
    else if (this.#joins > 0) this.#hold(message, reply)
    else
      this.#refuse(
        new CommandFailed('not_joined', `Message too large: the maximum before join is ${maxGuestMessageBytes} bytes`),
        reply,
      )
  }

  control(bytes: number): void {
    if (this.#isClosed || this.subscriber.isClosed) return
    if (this.#limiter.take(performance.now(), bytes) === 'flood') this.end('rate_limited')
  }

  roomAgain(): void {
    this.subscriber.roomAgain()
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.subscriber.closed()
    this.#queue.clear()
    this.#leave()
    this.#deps.sessions.delete(this)
    this.#permit.remove(this)
  }

  /** Sends the reason and closes the connection. */
  end(reason: CloseReason): void {
    if (this.#isClosed) return
    this.#leave()
    const message = endMessages[reason]
    if (message !== undefined) this.send('channel_error', { code: reason, message })
    this.subscriber.flush()
    this.subscriber.close(reason)
  }

  send(event: string, data: unknown): void {
    this.subscriber.push(frameOf(this.#channel.name, event, data))
  }

  /** Sends an error that is specific to the channel. */
  fail(failure: LiveFailure): void {
    this.send(`channel_error_${this.#channel.name}`, failure)
  }

  /** Verifies again that the token permits the channel, and ends the session if it does not. */
  async recheck(): Promise<void> {
    if (this.#joined === null) return
    try {
      refuseEnded(this.#joined.caller, this.#deps.clock())
      const joined = await this.#check(this.#joined.token, true)
      if (this.#joined?.token === joined.token) this.#joined = joined
    } catch (error) {
      const { code, message } = this.#failureOf(error)
      // If the token cannot be verified, the last verification remains valid.
      if (code !== 'invalid_token' && code !== 'insufficient_scope') return
      this.#leave()
      this.send('channel_error', { code, message })
      this.subscriber.flush()
      this.subscriber.close(code)
    }
  }

  get #holder(): string {
    return this.#joined?.caller.companyId ?? `address ${this.#permit.address}`
  }

  #refuse({ failure }: CommandFailed, reply: Reply): void {
    this.send('channel_error', failure)
    reply(failure)
  }

  #add(bytes: number, { command, run }: Prepared, reply: Reply): void {
    if (command === 'join') this.#joins++
    this.#queue.add(this.#holder, bytes, async () => {
      const outcome = this.#isClosed ? null : await run()
      if (command === 'join') this.#joins--
      // Events of the command are sent before its acknowledgement.
      this.subscriber.flush()
      if (!this.#isClosed) reply(outcome)
    })
  }

  /** Holds a large message that directly follows a join; it is parsed when the join has succeeded. */
  #hold(message: RawMessage, reply: Reply): void {
    const text = message.text()
    const run = async () => {
      const isKnown = this.#joined !== null
      return this.#prepare(isKnown ? message.read(text) : { command: 'message', data: null }).run()
    }
    this.#add(message.bytes, { command: 'held', run }, reply)
  }

  /** Parses the payload; its errors are sent when the command is executed. */
  #prepare(message: ReadMessage | null): Prepared {
    const { command, data } = message ?? { command: '', data: null }
    if (command === 'join') return { command, run: this.#prepareJoin(data) }
    if (command === 'leave') return { command, run: async () => this.#leave() ?? null }
    const parse = Object.hasOwn(this.#channel.commands, command) ? this.#channel.commands[command] : undefined
    const action = parse ? outcomeOf(() => parse(data)) : null
    return { command, run: () => this.#run(command, action) }
  }

  async #run(command: string, action: Outcome<Action> | null): Promise<unknown> {
    try {
      if (command === '') throw new CommandFailed('invalid_request', 'A message is {"event": "…", "data": …} in JSON')
      if (this.#joined === null && (action !== null || command === 'message'))
        throw new CommandFailed('not_joined', `Join the channel before '${command.slice(0, 50)}'`)
      if (action === null) throw new CommandFailed('invalid_request', `Unknown command '${command.slice(0, 50)}'`)
      return (await valueOf(action)(this)) ?? null
    } catch (error) {
      const failure = this.#failureOf(error)
      const isGeneral = action === null || failure.code === 'not_joined'
      if (isGeneral) this.send('channel_error', failure)
      else this.fail(failure)
      return failure
    }
  }

  #prepareJoin(data: unknown): () => Promise<unknown> {
    const payload = outcomeOf(() => {
      if (!this.#limiter.takeJoin(performance.now())) throw new CommandFailed('rate_limited', 'Too many joins')
      const { token, ...rest } = parseJoin(data)
      this.#channel.checkJoin?.(rest)
      return token
    })
    return () => this.#join(payload)
  }

  async #join(payload: Outcome<string>): Promise<unknown> {
    this.#leave()
    try {
      const changes = this.#deps.accessChanges()
      const joined = await this.#check(valueOf(payload), false)
      if (this.#isClosed || this.subscriber.isClosed) return null
      if (!this.#permit.join(joined.caller.companyId))
        throw new CommandFailed('too_many_connections', 'Limit of live connections of the company reached')
      this.#joined = joined
      // The change during the check may affect the token, so it is verified again.
      if (this.#deps.accessChanges() !== changes) await this.recheck()
      if (!this.isJoined) return null
      const answer = { channel: this.#channel.name }
      this.send('channel_join_success', answer)
      for (const [code, message] of this.#deps.troubles) this.send('channel_error', { code, message })
      this.#deps.requestFlush()
      return answer
    } catch (error) {
      const failure = this.#failureOf(error)
      this.send('channel_join_failure', failure)
      return failure
    }
  }

  async #check(token: string, isJoined: boolean): Promise<Joined> {
    const caller = await this.#deps.checkToken(token, isJoined ? null : this.#permit.address)
    if (!permits(liveScope, caller.scopes))
      throw new CommandFailed('insufficient_scope', 'Missing scope: machine.read or reporting')
    return { token, caller }
  }

  #leave(): void {
    if (this.#joined === null) return
    this.#permit.leave(this.#joined.caller.companyId)
    this.#joined = null
    this.#channel.left(this)
  }

  #failureOf(error: unknown): LiveFailure {
    if (error instanceof CommandFailed) return error.failure
    if (error instanceof InvalidToken) return { code: 'invalid_token', message: error.message }
    if (error instanceof ApiError && error.status === 429) return { code: 'rate_limited', message: error.message }
    const code = unavailableCode(error) ?? 'internal_error'
    this.#deps.logger.warn({ err: error, channel: this.#channel.name }, 'Live command failed')
    return { code, message: messages[code] ?? messages.internal_error }
  }
}

/** Result of some work, or the error that it threw, for later use. */
type Outcome<Value> = { readonly value: Value } | { readonly error: unknown }

function outcomeOf<Value>(work: () => Value): Outcome<Value> {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

function valueOf<Value>(outcome: Outcome<Value>): Value {
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

/** Messages that are sent before the connection is closed. */
const endMessages: { readonly [Reason in CloseReason]?: string } = {
  join_timeout: 'The connection did not join in time',
  too_many_connections: 'Too many connections have not joined',
  rate_limited: 'Command rate exceeded',
}

const messages: { readonly [Code in LiveCode]?: string } & { readonly internal_error: string } = {
  log_unavailable: 'The log is unavailable. Retry later.',
  store_unavailable: 'The store is unavailable. Retry later.',
  internal_error: 'Internal error',
}
