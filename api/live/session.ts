import type { Logger } from 'pino'
import type { LiveCode, LiveFailure } from '../../schema/api/live.ts'
import { InvalidToken } from '../auth/authenticate.ts'
import { anyOf, permits } from '../auth/scopes.ts'
import type { Receiver } from './connection.ts'
import { CommandFailed, unavailableCode } from './failure.ts'
import { frameOf } from './frame.ts'
import { Pace } from './pace.ts'
import { parseJoin } from './parse.ts'
import type { Subscriber } from './subscriber.ts'
import type { LiveCaller, TokenCheck } from './token-check.ts'
import type { ChannelCore, Member } from './channel.ts'

export const liveScope = anyOf('machine.read', 'reporting')

export interface SessionDeps {
  readonly checkToken: TokenCheck
  readonly logger: Logger
  /** Where the session is until it is over. */
  readonly sessions: Set<Session>
  readonly commandsPerSecond: number
  /** What is wrong now: who joins is told. */
  readonly troubles: ReadonlyMap<LiveCode, string>
}

interface Joined {
  readonly token: string
  readonly caller: LiveCaller
}

/** One client on one channel: who it is, and its commands one after the other. */
export class Session implements Receiver, Member {
  readonly subscriber: Subscriber
  readonly #channel: ChannelCore
  readonly #deps: SessionDeps
  readonly #pace: Pace
  #joined: Joined | null = null
  #isClosed = false
  #tail: Promise<void> = Promise.resolve()

  constructor(channel: ChannelCore, subscriber: Subscriber, deps: SessionDeps) {
    this.subscriber = subscriber
    this.#channel = channel
    this.#deps = deps
    this.#pace = new Pace(deps.commandsPerSecond, deps.commandsPerSecond * 5, performance.now())
    deps.sessions.add(this)
  }

  get companyId(): string {
    if (this.#joined === null) throw new Error('invariant: only who has joined has a company')
    return this.#joined.caller.companyId
  }

  get isJoined(): boolean {
    return this.#joined !== null
  }

  get caller(): LiveCaller | null {
    return this.#joined?.caller ?? null
  }

  receive(command: string, data: unknown, reply: (outcome: unknown) => void = () => undefined): void {
    if (!this.#pace.take(performance.now())) {
      const failure = new CommandFailed('rate_limited', 'Too many commands').failure
      this.send('channel_error', failure)
      reply(failure)
      return
    }
    this.#tail = this.#tail.then(async () => {
      if (this.#isClosed) return
      const outcome = await this.#handle(command, data)
      // The acknowledgement follows what the command brought about.
      this.subscriber.flush()
      reply(outcome)
    })
    this.#tail.catch((error: unknown) => this.#deps.logger.error({ err: error, command }, 'live command failed'))
  }

  roomAgain(): void {
    this.subscriber.roomAgain()
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.subscriber.closed()
    this.#leave()
    this.#deps.sessions.delete(this)
  }

  send(event: string, data: unknown): void {
    this.subscriber.push(frameOf(this.#channel.name, event, data))
  }

  /** Tells what is wrong with something specific to the channel. */
  fail(failure: LiveFailure): void {
    this.send(`channel_error_${this.#channel.name}`, failure)
  }

  /** Asks again whether the token is good for the channel, and ends the session where it isn't. */
  async recheck(): Promise<void> {
    if (this.#joined === null) return
    try {
      const joined = await this.#check(this.#joined.token)
      if (this.#joined?.token === joined.token) this.#joined = joined
    } catch (error) {
      const { code, message } = this.#failureOf(error)
      // Where it can't be told now, what was told before stands.
      if (code !== 'invalid_token' && code !== 'insufficient_scope') return
      this.#leave()
      this.send('channel_error', { code, message })
      this.subscriber.flush()
      this.subscriber.close(code)
    }
  }

  async #handle(command: string, data: unknown): Promise<unknown> {
    if (command === 'join') return this.#join(data)
    if (command === 'leave') {
      this.#leave()
      return null
    }
    const { commands } = this.#channel
    const run = Object.hasOwn(commands, command) ? commands[command] : undefined
    try {
      if (command === '') throw new CommandFailed('invalid_request', 'A message is {"event": "…", "data": …} in JSON')
      if (run === undefined) throw new CommandFailed('invalid_request', `There is no command '${command.slice(0, 50)}'`)
      if (this.#joined === null) throw new CommandFailed('not_joined', `Join the channel before '${command}'`)
      return (await run(this, data)) ?? null
    } catch (error) {
      const failure = this.#failureOf(error)
      const isGeneral = run === undefined || failure.code === 'not_joined'
      if (isGeneral) this.send('channel_error', failure)
      else this.fail(failure)
      return failure
    }
  }

  async #join(data: unknown): Promise<unknown> {
    this.#leave()
    try {
      const { token, ...rest } = parseJoin(data)
      this.#channel.checkJoin?.(rest)
      const joined = await this.#check(token)
      if (this.#isClosed) return null
      this.#joined = joined
      const answer = { channel: this.#channel.name }
      this.send('channel_join_success', answer)
      for (const [code, message] of this.#deps.troubles) this.send('channel_error', { code, message })
      return answer
    } catch (error) {
      const failure = this.#failureOf(error)
      this.send('channel_join_failure', failure)
      return failure
    }
  }

  async #check(token: string): Promise<Joined> {
    const caller = await this.#deps.checkToken(token)
    if (!permits(liveScope, caller.scopes))
      throw new CommandFailed('insufficient_scope', 'This needs one of the scopes: machine.read, reporting')
    return { token, caller }
  }

  #leave(): void {
    if (this.#joined === null) return
    this.#joined = null
    this.#channel.left(this)
  }

  #failureOf(error: unknown): LiveFailure {
    if (error instanceof CommandFailed) return error.failure
    if (error instanceof InvalidToken) return { code: 'invalid_token', message: error.message }
    const code = unavailableCode(error) ?? 'internal_error'
    this.#deps.logger.warn({ err: error, channel: this.#channel.name }, 'live command failed')
    return { code, message: messages[code] ?? messages.internal_error }
  }
}

const messages: { readonly [Code in LiveCode]?: string } & { readonly internal_error: string } = {
  log_unavailable: 'The log does not answer now; try again in a moment',
  store_unavailable: 'The store does not answer now; try again in a moment',
  internal_error: 'Something went wrong here',
}
