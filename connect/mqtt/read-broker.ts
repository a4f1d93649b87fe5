import { createHash, randomBytes } from 'node:crypto'
import type { IPublishPacket } from 'mqtt'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { parseTopicPattern } from '../../schema/topic-pattern.ts'
import { deferred } from '../../shared/async/deferred.ts'
import { hourMs } from '../../shared/time/units.ts'
import { type ReadSource, SourceError, type SourceSession } from '../source/source.ts'
import { BrokerClient, type BrokerOptions, type ProtocolVersion } from './broker-client.ts'
import { connectWithFirstVersion, type EndedConnection } from './first-version.ts'
import { MessageDelivery } from './message-delivery.ts'
import { disjointFilters } from './topic-filters.ts'

/** Interval in which the connection is checked and acknowledgements are confirmed, ms. */
const checkIntervalMs = 250
/** Minimum time between two calls of `heard`, ms. */
const respondedIntervalMs = 1_000

/**
 * Reads a broker with the first of these versions that it supports, and then with this one until the settings change or the
 * broker has not answered for `versionLifetimeMs`: a broker that is stopping ends connections as if it did not support their
 * version. `isTemporary`: with a client id and a session of its own, which the broker discards at the end.
 */
export function brokerReader(
  versions: readonly ProtocolVersion[],
  { isTemporary = false, versionLifetimeMs = hourMs } = {},
): ReadSource {
  const accepted = new WeakMap<ConnectorRecord, { readonly version: ProtocolVersion; readonly respondedMs: number }>()
  return async session => {
    const { connector } = session
    const delivery = new MessageDelivery(session)
    const clientId = isTemporary ? temporaryClientId() : clientIdOf(connector)
    const known = accepted.get(connector)
    const isVersionKnown = known !== undefined && performance.now() - known.respondedMs < versionLifetimeMs
    try {
      await connectWithFirstVersion(isVersionKnown ? [known.version] : versions, version => {
        const onResponse = () => accepted.set(connector, { version, respondedMs: performance.now() })
        return new BrokerReader(session, delivery, { clientId, isTemporary, onResponse }).run(version)
      })
    } finally {
      await delivery.settle()
    }
  }
}

/** Reads an MQTT broker: subscribes to the topics of the rules, and acknowledges messages when their samples are safe. */
export const readBroker = brokerReader([5, 4])

class BrokerReader {
  readonly #session: SourceSession
  readonly #delivery: MessageDelivery
  readonly #options: ReaderOptions
  #client: BrokerClient | null = null
  #respondedMs = -Infinity
  #isSubscribed = false

  constructor(session: SourceSession, delivery: MessageDelivery, options: ReaderOptions) {
    this.#session = session
    this.#delivery = delivery
    this.#options = options
  }

  /** Resolves when the connection has ended; null: the reader was stopped. */
  async run(version: ProtocolVersion): Promise<EndedConnection | null> {
    const { connector, signal } = this.#session
    const filters = subscriptionsOf(connector)
    if (filters.length === 0) throw new SourceError('The connector has no rules and no samplesTopic', 'invalid')
    const connected = deferred<void>()
    const client = await BrokerClient.open(optionsOf(this.#session, version, this.#options), {
      onConnected: hasSession => {
        this.#options.onResponse()
        this.#delivery.begin(hasSession)
        connected.resolve()
      },
      onMessage: packet => this.#receive(packet),
      onPingSent: () => this.#delivery.unconfirmed.pingSent(),
      onPingAnswered: () => this.#pingAnswered(),
    })
    this.#client = client
    const stop = () => client.close()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    let failure: SourceError | null = null
    const fail = (error: SourceError) => {
      failure ??= error
      client.close()
    }
    connected.promise.then(() => this.#subscribe(client, filters)).catch((error: unknown) => fail(toSourceError(error)))
    const timer = setInterval(() => {
      if (client.isSilent) fail(new SourceError('The broker sent nothing for one and a half times the keep-alive'))
      else if (this.#isSubscribed && (client.isPingDue || this.#delivery.unconfirmed.needsPing)) client.ping()
    }, checkIntervalMs)
    try {
      const ended = await client.ended
      if (signal.aborted) return null
      return { error: failure ?? ended, mayNotSupportVersion: client.mayNotSupportVersion && failure === null }
    } finally {
      clearInterval(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  async #subscribe(client: BrokerClient, filters: readonly string[]): Promise<void> {
    this.#session.report('catching_up')
    const former = this.#delivery.head.filters.filter(filter => !filters.includes(filter))
    const rejected = await client.subscribe(filters, former)
    if (rejected.length === filters.length)
      throw new SourceError(`The broker rejects the subscriptions ${rejected.join(', ')}`, 'rejected')
    if (rejected.length > 0) this.#session.warn(`The broker rejects the subscriptions ${rejected.join(', ')}`)
    this.#delivery.subscribed(filters)
    this.#isSubscribed = true
    client.ping()
  }

  async #receive(packet: IPublishPacket): Promise<void> {
    if (this.#delivery.unconfirmed.isFull) throw new SourceError('The broker does not answer pings')
    this.#delivery.receive(packet, () => this.#client?.acknowledge(packet))
    this.#heard()
    await this.#session.waitForSpace()
  }

  /** The broker has sent the messages of the session that it had sent before, and the retained ones. */
  #pingAnswered(): void {
    this.#delivery.confirmed()
    this.#heard()
    this.#session.report('connected')
  }

  #heard(): void {
    const nowMs = performance.now()
    if (nowMs - this.#respondedMs < respondedIntervalMs) return
    this.#respondedMs = nowMs
    this.#options.onResponse()
    this.#delivery.heard()
  }
}

interface ReaderOptions extends Required<Pick<BrokerOptions, 'clientId' | 'isTemporary'>> {
  /** The broker has answered a connection of the version. */
  readonly onResponse: () => void
}

function optionsOf(
  { connector, secrets, lookup }: SourceSession,
  version: ProtocolVersion,
  { clientId, isTemporary }: ReaderOptions,
): BrokerOptions {
  const { address, options } = connector
  const { user, sourceHeartbeatMs: keepAliveMs } = options
  return { address: address ?? '', user, secrets, lookup, version, keepAliveMs, clientId, isTemporary }
}

/** Returns a client id that no connector has: two clients with one id would disconnect each other. */
export function temporaryClientId(): string {
  return `takt${randomBytes(9).toString('hex')}`
}

/** Returns the fixed client id of a connector, with the 23 characters that every broker accepts. */
export function clientIdOf({ companyId, sourceId }: Pick<ConnectorRecord, 'companyId' | 'sourceId'>): string {
  return `takt${createHash('sha256').update(`${companyId}\n${sourceId}`).digest('hex').slice(0, 19)}`
}

/** Returns the filters of the topics that a connector reads. */
export function subscriptionsOf({ rules, options }: Pick<ConnectorRecord, 'rules' | 'options'>): readonly string[] {
  const { samplesTopic } = options
  const topics = [...rules.map(({ from }) => from), ...(samplesTopic === null ? [] : [samplesTopic])]
  return disjointFilters(topics.flatMap(topic => parseTopicPattern(topic) ?? []))
}

function toSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new SourceError(`The broker cannot be read: ${reason}`, 'disconnected', { cause: error })
}
