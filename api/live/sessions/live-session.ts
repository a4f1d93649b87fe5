import type { CloseReason, LiveCode, LiveFailure } from '../../../schema/requests/live.ts'
import type { FreshnessPort } from '../../ports/ports.ts'
import type { Action, ChannelDeclaration, Member } from '../channels/channel.ts'
import type { Connection, RawMessage, ReadMessage } from '../outbox/connection.ts'
import { CommandFailed } from '../failure.ts'
import { frameOf } from '../outbox/frame.ts'
import { maxGuestMessageBytes } from '../limits/message-limits.ts'
import { parseJoin } from '../parse.ts'
import type { ConnectionPermit } from '../limits/connection-admission.ts'
import { Session, type SessionHost, type SessionLimits } from './session.ts'

export interface LiveSessionDeps extends FreshnessPort {
  /** Current problems with their messages, for clients that join. */
  readonly problems: ReadonlyMap<LiveCode, string>
}

interface LiveClient {
  readonly connection: Connection
  readonly permit: ConnectionPermit
}

type Reply = (outcome: unknown) => void

/** A received command: its name, and its work, which runs in the order of the queue. */
interface Prepared {
  readonly command: string
  readonly run: () => Promise<unknown>
}

/** One client on one channel. */
export class LiveSession extends Session implements Member {
  readonly #channel: ChannelDeclaration
  readonly #deps: LiveSessionDeps
  /** Joins that wait or are in progress. */
  #joins = 0

  constructor(
    channel: ChannelDeclaration,
    client: LiveClient & SessionLimits,
    host: SessionHost,
    deps: LiveSessionDeps,
  ) {
    super(host, { ...client, name: channel.name, scope: channel.scope })
    this.#channel = channel
    this.#deps = deps
  }

  /** Checks the limits of a message, then parses it and queues its command. */
  receive(message: RawMessage, reply: Reply = () => undefined): void {
    const { bytes } = message
    const isWelcome = this.count(bytes) && this.queue.hasRoom(this.tenant, bytes)
    if (this.isClosed) return
    if (!isWelcome) this.#reject(new CommandFailed('rate_limited', 'Too many commands'), reply)
    else if (bytes <= maxGuestMessageBytes || this.isJoined)
      this.#add(bytes, this.#prepare(message.read(message.text())), reply)
    else if (this.#joins > 0) this.#defer(message, reply)
    else
      this.#reject(
        new CommandFailed('not_joined', `Message too large: the maximum before join is ${maxGuestMessageBytes} bytes`),
        reply,
      )
  }

  end(reason: CloseReason, message = endMessages[reason]): void {
    if (this.isClosed) return
    this.leave()
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

  protected left(): void {
    this.#channel.left(this)
  }

  #reject({ failure }: CommandFailed, reply: Reply): void {
    this.send('channel_error', failure)
    reply(failure)
  }

  #add(bytes: number, { command, run }: Prepared, reply: Reply): void {
    if (command === 'join') this.#joins++
    this.queue.add(this.tenant, bytes, async () => {
      const outcome = this.isClosed ? null : await run()
      if (command === 'join') this.#joins--
      // Events of the command are sent before its acknowledgement.
      this.subscriber.flush()
      if (!this.isClosed) reply(outcome)
    })
  }

  /** Holds a large message that directly follows a join; it is parsed when the join has succeeded. */
  #defer(message: RawMessage, reply: Reply): void {
    const text = message.text()
    const run = () => this.#prepare(this.isJoined ? message.read(text) : { command: 'message', data: null }).run()
    this.#add(message.bytes, { command: 'held', run }, reply)
  }

  /** Parses the payload; its errors are sent when the command is executed. */
  #prepare(message: ReadMessage | null): Prepared {
    const { command, data } = message ?? { command: '', data: null }
    if (command === 'join') return { command, run: this.#prepareJoin(data) }
    if (command === 'leave') return { command, run: async () => this.leave() ?? null }
    const parse = Object.hasOwn(this.#channel.commands, command) ? this.#channel.commands[command] : undefined
    const action = parse ? deferred(() => parse(data)) : null
    return { command, run: () => this.#run(command, action) }
  }

  async #run(command: string, action: (() => Action) | null): Promise<unknown> {
    try {
      if (command === '') throw new CommandFailed('invalid_request', 'A message is {"event": "…", "data": …} in JSON')
      if (!this.isJoined && (action !== null || command === 'message'))
        throw new CommandFailed('not_joined', `Join the channel before '${command.slice(0, 50)}'`)
      if (action === null) throw new CommandFailed('invalid_request', `Unknown command '${command.slice(0, 50)}'`)
      return (await action()(this)) ?? null
    } catch (error) {
      const failure = this.failureOf(error)
      const isGeneral = action === null || failure.code === 'not_joined'
      if (isGeneral) this.send('channel_error', failure)
      else this.fail(failure)
      return failure
    }
  }

  #prepareJoin(data: unknown): () => Promise<unknown> {
    const tokenOf = deferred(() => {
      if (!this.limiter.countJoin(performance.now())) throw new CommandFailed('rate_limited', 'Too many joins')
      const { token, ...rest } = parseJoin(data)
      this.#channel.checkJoin?.(rest)
      return token
    })
    return () => this.#join(tokenOf)
  }

  async #join(tokenOf: () => string): Promise<unknown> {
    this.leave()
    try {
      if (!(await this.join(tokenOf()))) return null
      const joined = { channel: this.#channel.name }
      this.send('channel_join_success', joined)
      for (const [code, message] of this.#deps.problems) this.send('channel_error', { code, message })
      this.#channel.joined?.(this)
      this.#deps.requestFlush()
      return joined
    } catch (error) {
      const failure = this.failureOf(error)
      this.send('channel_join_failure', failure)
      return failure
    }
  }
}

/** Does some work; returns a function that returns its result or throws its error. */
function deferred<Value>(work: () => Value): () => Value {
  try {
    const value = work()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Messages that are sent before the connection is closed. */
const endMessages: { readonly [Reason in CloseReason]?: string } = {
  join_timeout: 'The connection did not join in time',
  too_many_connections: 'Too many connections have not joined',
  rate_limited: 'Command rate exceeded',
}
