import type { Duplex } from 'node:stream'
import { CloseCode } from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { Records } from '../../../processors/records/records.ts'
import { Shares } from '../../../shared/shares.ts'
import { FlushScheduler } from '../../live/flush-scheduler.ts'
import { AccessWatch } from '../../live/sessions/access-watch.ts'
import type { ConnectionPermit } from '../../live/sessions/admission.ts'
import { type BufferLimits, Subscriber } from '../../live/subscriber.ts'
import { bytesOf, textOf } from '../../live/transport/message-text.ts'
import { protocolAmong } from './protocol.ts'
import type { SocketConnection } from './socket-connection.ts'
import { ResultFrames, type SocketFrame } from './socket-frame.ts'
import { SocketSession, type SocketSessionDeps } from './socket-session.ts'

export interface OpenSessionsDeps extends Omit<SocketSessionDeps, 'accessChanges' | 'frames' | 'waiting'> {
  readonly records: Pick<Records, 'onChange'>
  /** Limits of the unsent messages of one connection. */
  readonly buffer: BufferLimits
  /** Maximum bytes of messages that wait for token checks. */
  readonly waitingBytes: number
}

/** A WebSocket with its connection. */
interface Opened {
  readonly webSocket: WebSocket
  readonly socket: Duplex
  readonly connection: SocketConnection
}

const paceEveryMs = 1_000
/** Clients of the older protocol close a connection that is silent for 30 s. */
const keepAliveEveryMs = 10_000

/** Sessions of the open WebSockets: sends keep-alives, measures send time, and checks tokens again. */
export class OpenSessions {
  readonly #sessions = new Set<SocketSession>()
  readonly #scheduler = new FlushScheduler()
  readonly #access: AccessWatch<SocketSession>
  readonly #buffer: BufferLimits
  readonly #sessionDeps: SocketSessionDeps
  readonly #timers: readonly NodeJS.Timeout[]

  constructor({ records, buffer, waitingBytes, ...deps }: OpenSessionsDeps) {
    const access = new AccessWatch({ records, holders: this.#sessions, logger: deps.logger })
    const waiting = new Shares({ room: waitingBytes })
    this.#access = access
    this.#buffer = buffer
    this.#sessionDeps = { ...deps, waiting, frames: new ResultFrames(), accessChanges: () => access.changes }
    this.#timers = [
      setInterval(() => this.#checkPaces(), paceEveryMs).unref(),
      setInterval(() => this.#keepAlive(), keepAliveEveryMs).unref(),
    ]
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Operations in progress. */
  get operations(): number {
    return [...this.#sessions].reduce((sum, { operations }) => sum + operations, 0)
  }

  /** Starts the session of an opened WebSocket; null if the client offers no supported protocol. */
  begin(opened: Opened, authorization: string | undefined, permit: ConnectionPermit): SocketSession | null {
    const { webSocket, connection } = opened
    webSocket.on('error', () => undefined)
    const protocol = protocolAmong(new Set([webSocket.protocol]))
    if (!protocol) {
      connection.end(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
      return null
    }
    const subscriber = new Subscriber<SocketFrame>(
      {
        write(frames) {
          const startedMs = performance.now()
          const hasRoom = connection.write(frames)
          session.charge(performance.now() - startedMs)
          return hasRoom
        },
        close: reason => connection.close(reason),
      },
      this.#scheduler,
      this.#buffer,
    )
    const session = new SocketSession({ protocol, permit, connection, subscriber, authorization }, this.#sessionDeps)
    this.#follow(session, opened)
    return session
  }

  /** Notifies every client that the service stops. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#access.stop()
    for (const session of this.#sessions) session.end('going_away')
  }

  /** Passes the messages of a WebSocket to its session until it closes. */
  #follow(session: SocketSession, { webSocket, socket }: Opened): void {
    this.#sessions.add(session)
    webSocket.on('message', data => session.receive(bytesOf(data), () => textOf(data)))
    for (const control of ['ping', 'pong'] as const) webSocket.on(control, ({ length }) => session.count(length))
    webSocket.on('close', () => {
      this.#sessions.delete(session)
      session.closed()
    })
    socket.on('drain', () => session.subscriber.roomAgain())
  }

  #checkPaces(): void {
    const nowMs = performance.now()
    for (const { subscriber } of this.#sessions) subscriber.checkPace(nowMs)
  }

  #keepAlive(): void {
    for (const session of this.#sessions) session.keepAlive()
  }
}
