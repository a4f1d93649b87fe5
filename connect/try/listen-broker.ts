import type { IPublishPacket } from 'mqtt'
import { BrokerClient, type BrokerOptions, type ProtocolVersion } from '../mqtt/broker-client.ts'
import { connectWithFirstVersion, type EndedConnection } from '../mqtt/first-version.ts'
import { temporaryClientId } from '../mqtt/read-broker.ts'
import { SourceError } from '../source/source.ts'

/** Message of a broker, as it came. */
export interface Heard {
  readonly topic: string
  readonly payload: Buffer
}

export interface ListenOptions extends Pick<BrokerOptions, 'address' | 'user' | 'secrets' | 'lookup'> {
  readonly filters: readonly string[]
  /** Ends the connection. */
  readonly signal: AbortSignal
  /** Called when the broker has accepted a connection. */
  readonly onConnected?: () => void
  /** If it returns a promise, the next message is read when the promise resolves. */
  readonly onMessage: (message: Heard) => void | Promise<void>
}

const keepAliveMs = 60_000

/**
 * Passes on the messages of a broker over a session that the broker discards, until the signal aborts. Rejects with a
 * `SourceError` if the broker cannot be read.
 */
export async function listenBroker(options: ListenOptions): Promise<void> {
  await connectWithFirstVersion([5, 4], version => listen(options, version))
}

/** Resolves when the connection has ended; null: the signal has aborted. */
async function listen(options: ListenOptions, version: ProtocolVersion): Promise<EndedConnection | null> {
  const { address, user, secrets, lookup, filters, signal, onConnected, onMessage } = options
  const connection = { address, user, secrets, lookup, version, keepAliveMs, isTemporary: true }
  const failures: SourceError[] = []
  const client: BrokerClient = await BrokerClient.open(
    { ...connection, clientId: temporaryClientId() },
    {
      onConnected: () => {
        onConnected?.()
        subscribe().catch((error: unknown) => fail(error))
      },
      onMessage: packet => receive(packet),
      onPingSent: () => undefined,
      onPingAnswered: () => undefined,
    },
  )
  const subscribe = async () => {
    const rejected = await client.subscribe(filters, [])
    if (rejected.length === filters.length)
      fail(new SourceError(`The broker rejects the subscriptions ${rejected.join(', ')}`, 'rejected'))
  }
  const fail = (error: unknown) => {
    failures.push(error instanceof SourceError ? error : new SourceError(`The broker cannot be read: ${String(error)}`))
    client.close()
  }
  const receive = async (packet: IPublishPacket) => {
    const { topic, payload } = packet
    client.acknowledge(packet)
    await onMessage({ topic, payload: Buffer.isBuffer(payload) ? payload : Buffer.from(payload) })
  }
  const stop = () => client.close()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const ended = await client.ended
    if (signal.aborted) return null
    const [failure] = failures
    return { error: failure ?? ended, mayNotSupportVersion: client.mayNotSupportVersion && failure === undefined }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
