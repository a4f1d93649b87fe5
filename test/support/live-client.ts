import { io as connectIo4 } from 'socket.io-client'
// oxlint-disable-next-line typescript/no-unsafe-assignment -- version 2 brings no types
// @ts-expect-error version 2 brings no types
import connectIo2Untyped from 'socket.io-client-2'
import { WebSocket } from 'ws'
import type { Channel } from '../../schema/requests/live.ts'

export type ClientKind = 'plain' | 'socket.io 4' | 'socket.io 2' | 'polling' | 'socket.io 2 polling'
export const clientKinds: readonly ClientKind[] = [
  'plain',
  'socket.io 4',
  'socket.io 2',
  'polling',
  'socket.io 2 polling',
]

export interface LiveEvent {
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into what they know
  readonly data: any
}

/** A client of one channel, of any kind. */
export interface LiveClient {
  /** Every event so far, in order. */
  readonly events: LiveEvent[]
  /** Data of every event of that name so far. */
  of(event: string): LiveEvent['data'][]
  send(command: string, data?: unknown): void
  /** Sends a binary frame. Only for plain clients. */
  sendBytes?(bytes: Buffer): void
  /** Only for kinds with acknowledgements. */
  ask?(command: string, data?: unknown): Promise<unknown>
  /** Resolves when `when` holds for the events; rejects after a timeout. */
  until(when: () => boolean, withinMs?: number): Promise<void>
  /** Reason of the connection's end; null: the connection is open. */
  ended(): string | null
  close(): void
}

interface Wire {
  readonly send: LiveClient['send']
  readonly ask?: NonNullable<LiveClient['ask']>
  readonly sendBytes?: NonNullable<LiveClient['sendBytes']>
  readonly close: () => void
}

/** Connects a client; resolves when it is connected. */
export async function liveClient(kind: ClientKind, url: string, channel: Channel): Promise<LiveClient> {
  const events: LiveEvent[] = []
  let ended: string | null = null
  const wire = await wires[kind](`${url}/events/machine/${channel}`, {
    take: (event, data) => events.push({ event, data }),
    end: reason => (ended ??= reason),
  })
  return {
    events,
    of: event => events.filter(each => each.event === event).map(({ data }): unknown => data),
    ended: () => ended,
    ...wire,
    async until(when, withinMs = 60_000) {
      const untilMs = performance.now() + withinMs
      while (!when()) {
        if (performance.now() > untilMs)
          throw new Error(`Not after ${withinMs} ms; ended: ${ended}; last: ${JSON.stringify(events.slice(-3))}`)
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    },
  }
}

/** Connects a client and joins with the token. */
export async function joined(kind: ClientKind, url: string, channel: Channel, token: string): Promise<LiveClient> {
  const client = await liveClient(kind, url, channel)
  client.send('join', { token, ...(channel === 'diagnostics' && { stream: 'raw' }) })
  await client.until(() => client.of('channel_join_success').length === 1)
  return client
}

interface Ears {
  readonly take: (event: string, data: unknown) => void
  readonly end: (reason: string) => void
}

const wires: Record<ClientKind, (address: string, ears: Ears) => Promise<Wire>> = {
  plain: connectPlain,
  'socket.io 4': (address, ears) => connectIo(connectIo4(address, { forceNew: true, transports: ['websocket'] }), ears),
  polling: (address, ears) => connectIo(connectIo4(address, { forceNew: true, transports: ['polling'] }), ears),
  'socket.io 2': (address, ears) => connectIo(connectIo2(address, { forceNew: true }), ears),
  'socket.io 2 polling': (address, ears) =>
    connectIo(connectIo2(address, { forceNew: true, transports: ['polling'] }), ears),
}

async function connectPlain(address: string, ears: Ears): Promise<Wire> {
  const socket = new WebSocket(address.replace(/^http/, 'ws'))
  socket.on('message', (data: Buffer) => {
    const { event, data: told }: LiveEvent = JSON.parse(data.toString())
    ears.take(event, told)
  })
  socket.on('close', (_code, reason) => ears.end(reason.toString() || 'closed'))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return {
    send: (event, data) => socket.send(JSON.stringify({ event, data })),
    sendBytes: bytes => socket.send(bytes),
    close: () => socket.terminate(),
  }
}

/** The common interface of versions 2 and 4 of the client. */
interface IoSocket {
  on(event: string, listener: (data: unknown) => void): unknown
  emit(event: string, ...data: unknown[]): unknown
  close(): unknown
  onAny?(listener: (event: string, data: unknown) => void): unknown
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- version 2 brings no types
const connectIo2 = connectIo2Untyped as (address: string, options: object) => IoSocket

const told = [
  'update',
  'removed',
  'listed',
  'channel_error',
  'channel_join_success',
  'channel_join_failure',
  'channel_error_status',
  'channel_error_diagnostics',
  'channel_error_timeline',
  'channel_error_incidents',
]

async function connectIo(socket: IoSocket, ears: Ears): Promise<Wire> {
  for (const event of told) socket.on(event, data => ears.take(event, data))
  socket.on('disconnect', reason => ears.end(String(reason)))
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', () => resolve())
    socket.on('connect_error', error => reject(error instanceof Error ? error : new Error(String(error))))
    socket.on('error', error => reject(error instanceof Error ? error : new Error(String(error))))
  })
  return {
    send: (event, data) => void socket.emit(event, data),
    ask: (event, data) => new Promise(resolve => void socket.emit(event, data, resolve)),
    close: () => void socket.close(),
  }
}
