import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { IClientOptions, IConnackPacket, IPublishPacket, MqttClient, Packet } from 'mqtt'
import { describeFailure } from '../source/describe-failure.ts'
import { secureContextOf } from '../source/secure-context.ts'
import { SourceError, type SourceSecrets } from '../source/source.ts'
import { LargePackets } from './large-packets.ts'

/** Versions of MQTT by the number in its packets: 3.1.1 and 5. */
export type ProtocolVersion = 4 | 5

export interface BrokerOptions {
  /** `mqtt://` or `mqtts://`, host and port. */
  readonly address: string
  readonly user: string | null
  readonly secrets: SourceSecrets
  readonly lookup: LookupFunction
  readonly version: ProtocolVersion
  readonly clientId: string
  /** Whether the broker discards the session at the end of the connection. */
  readonly isTemporary?: boolean
  readonly keepAliveMs: number
}

/** Called in the order of the packets. */
export interface BrokerHandlers {
  /** The broker has accepted the connection; `hasSession`: it has kept the session of an earlier one. */
  readonly onConnected: (hasSession: boolean) => void
  /** Resolves when the next message may be read. */
  readonly onMessage: (packet: IPublishPacket) => Promise<void>
  readonly onPingSent: () => void
  readonly onPingAnswered: () => void
}

/** Time after which a session without a connection ends, seconds. */
const sessionExpirySeconds = 24 * 60 * 60
const connectTimeoutMs = 10_000
/** Limit of a packet of version 5, bytes: the broker discards larger ones. `LargePackets` cuts those of other versions. */
const maximumPacketSize = 4_194_304

/** Connection to a broker. Fails by a `SourceError`. */
export class BrokerClient {
  readonly #options: BrokerOptions
  readonly #handlers: BrokerHandlers
  readonly #client: MqttClient
  readonly #ended: Promise<SourceError>
  #receivedMs = performance.now()
  #sentMs = performance.now()
  #isReading = true
  #isClosed = false
  #hasAnswered = false
  #isReached = false

  /** Loads the client library at the first connection only, because that takes a third of a second. */
  static async open(options: BrokerOptions, handlers: BrokerHandlers): Promise<BrokerClient> {
    // A bundle of the product has only the default export of a CommonJS package.
    const { default: mqtt } = await import('mqtt')
    return new BrokerClient(mqtt.MqttClient, options, handlers)
  }

  private constructor(Client: typeof MqttClient, options: BrokerOptions, handlers: BrokerHandlers) {
    this.#options = options
    this.#handlers = handlers
    this.#client = new Client(() => this.#openSocket(), clientOptions(options))
    const client = this.#client
    client.handleMessage = (packet, done) => void this.#handle(packet, done)
    client.on('packetreceive', packet => this.#received(packet))
    client.on('packetsend', ({ cmd }) => {
      this.#sentMs = performance.now()
      if (cmd === 'pingreq') handlers.onPingSent()
    })
    this.#ended = this.#untilEnd()
  }

  /** Resolves when the connection has ended, with the reason. */
  get ended(): Promise<SourceError> {
    return this.#ended
  }

  /** Whether the broker was reached but has not answered as a broker of the version: it may support another one. */
  get mayNotSupportVersion(): boolean {
    return this.#isReached && !this.#hasAnswered
  }

  /** Whether no bytes came for one and a half times the keep-alive, and no message is being read. */
  get isSilent(): boolean {
    return this.#isReading && performance.now() - this.#receivedMs > 1.5 * this.#options.keepAliveMs
  }

  /** Whether the broker expects a packet. */
  get isPingDue(): boolean {
    return performance.now() - this.#sentMs >= this.#options.keepAliveMs / 2
  }

  /** Changes the subscriptions; resolves with the rejected ones. */
  async subscribe(filters: readonly string[], former: readonly string[]): Promise<readonly string[]> {
    if (former.length > 0) await this.#client.unsubscribeAsync([...former])
    if (filters.length === 0) return []
    const rejected: string[] = []
    await new Promise<void>((resolve, reject) => {
      this.#client.subscribe([...filters], { qos: 1 }, (error, _grants, packet) => {
        for (const [index, granted] of (packet?.granted ?? []).entries())
          if (Number(granted) >= rejectedFrom) rejected.push(filters[index] ?? '')
        if (error && rejected.length === 0) reject(error)
        else resolve()
      })
    })
    return rejected
  }

  ping(): void {
    if (this.#client.connected) this.#client.sendPing()
  }

  /** Acknowledges a message, in the order in which the messages came. */
  acknowledge({ messageId }: IPublishPacket): void {
    if (this.#isClosed || messageId === undefined) return
    this.#sentMs = performance.now()
    this.#client.stream.write(Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff]))
  }

  close(): void {
    this.#isClosed = true
    this.#client.end(true)
  }

  async #handle(packet: IPublishPacket, done: (error?: Error) => void): Promise<void> {
    this.#isReading = false
    try {
      await this.#handlers.onMessage(packet)
      // The client acknowledges a message after a call without an error. `acknowledge` does it later, so that it need not wait for the log.
      done(packet.qos > 0 ? acknowledgedLater : undefined)
    } catch (error) {
      this.#client.stream.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#isReading = true
      this.#receivedMs = performance.now()
    }
  }

  #received(packet: Packet): void {
    this.#receivedMs = performance.now()
    if (packet.cmd === 'pingresp') this.#handlers.onPingAnswered()
    if (packet.cmd !== 'connack') return
    this.#hasAnswered = !isOtherVersion(packet)
    if (codeOf(packet) === 0) this.#handlers.onConnected(packet.sessionPresent)
  }

  #openSocket(): Socket {
    const { address, lookup, secrets } = this.#options
    const { hostname, port, protocol } = new URL(address)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const isSecure = protocol === 'mqtts:'
    const options = { host, port: Number(port || (isSecure ? 8883 : 1883)), lookup }
    const onReached = () => (this.#isReached = true)
    if (!isSecure) return this.#cutPackets(connectTcp(options, onReached))
    const servername = isIP(host) === 0 ? { servername: host } : {}
    return this.#cutPackets(
      connectTls({ ...options, ...servername, secureContext: secureContextOf(secrets) }, onReached),
    )
  }

  /** The client library reads the socket by `pipe`; the socket itself is returned, so that its errors and its end stay. */
  #cutPackets(socket: Socket): Socket {
    const packets = new LargePackets(() => (this.#receivedMs = performance.now()))
    const read = socket.pipe.bind(socket)
    return Object.assign(socket, {
      pipe: <T extends NodeJS.WritableStream>(target: T): T => read(packets).pipe(target),
    })
  }

  #untilEnd(): Promise<SourceError> {
    return new Promise(resolve => {
      let failure: unknown = null
      this.#client.stream.on('error', error => (failure ??= error))
      this.#client.on('error', error => {
        failure ??= error
        this.close()
      })
      this.#client.on('disconnect', ({ reasonCode }) => (failure ??= new Error(`it disconnects (code ${reasonCode})`)))
      this.#client.on('close', () => {
        this.#isClosed = true
        resolve(this.#toSourceError(failure))
      })
    })
  }

  #toSourceError(failure: unknown): SourceError {
    if (failure instanceof SourceError) return failure
    if (isDenial(failure)) return new SourceError(`The broker denies access: ${failure.message}`, 'rejected')
    const closed = this.#hasAnswered ? 'it closed the connection' : 'it closed the connection without an answer'
    const reason = failure instanceof Error ? describeFailure(failure) : closed
    return new SourceError(`The broker ${this.#options.address} cannot be read: ${reason}`, 'disconnected', {
      cause: failure,
    })
  }
}

const acknowledgedLater = new Error('The message is acknowledged later')
const rejectedFrom = 128

function clientOptions({
  user,
  secrets,
  version,
  clientId,
  keepAliveMs,
  isTemporary = false,
}: BrokerOptions): IClientOptions {
  const { password = '' } = secrets
  return {
    protocolVersion: version,
    clientId,
    clean: isTemporary,
    keepalive: Math.ceil(keepAliveMs / 1_000),
    reconnectPeriod: 0,
    resubscribe: false,
    connectTimeout: connectTimeoutMs,
    // The reader sends pings itself: those of the client end a connection whose messages wait for the log.
    timerVariant: { set: () => 0, clear: () => undefined },
    ...(version === 5 && {
      properties: { maximumPacketSize, ...(!isTemporary && { sessionExpiryInterval: sessionExpirySeconds }) },
    }),
    ...(user !== null && { username: user, password }),
  }
}

function codeOf({ reasonCode, returnCode }: IConnackPacket): number {
  return reasonCode ?? returnCode ?? 0
}

/** Codes of versions 3.1.1 and 5 for a version that the broker does not support. */
function isOtherVersion(packet: IConnackPacket): boolean {
  return [1, 0x84].includes(codeOf(packet))
}

/** Codes with which a broker denies access: 3.1.1, then 5. */
const denials = new Set([2, 4, 5, 0x85, 0x86, 0x87, 0x8a, 0x8c])

function isDenial(failure: unknown): failure is Error {
  return failure instanceof Error && 'code' in failure && denials.has(Number(failure.code))
}
