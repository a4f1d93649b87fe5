import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Forwards the connections of a connector to a broker, with faults on command. */
export class BrokerProxy {
  readonly faults = {
    /** New connections are closed after their first packet. */
    isRefusing: false,
    /** Connections of MQTT 5 are closed after their first packet. */
    isRefusingVersion5: false,
    /** No byte is forwarded. */
    isHanging: false,
    /** Discards the bytes that the connector sends. */
    isDeaf: false,
    /** Forwards half of the next message of the broker, and ends its connection. */
    isHalving: false,
    /** Forwards 64 KiB of the broker in this time, ms. */
    slownessMs: 0,
  }
  /** Connections that were closed without an answer. */
  refused = 0
  /** Versions of MQTT that the connections have named, in order: the byte after the name of the protocol. */
  readonly versions: number[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(brokerPort: number) {
    this.#server = createServer(socket => this.#accept(socket, brokerPort))
  }

  static async start(brokerPort: number): Promise<BrokerProxy> {
    const proxy = new BrokerProxy(brokerPort)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get address(): string {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has a port
    return `mqtt://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  close(): void {
    this.faults.isRefusing = true
    this.cut()
    this.#server.close()
  }

  #accept(socket: Socket, brokerPort: number): void {
    this.#sockets.add(socket.on('error', () => undefined))
    socket.once('data', packet => {
      const version = packet[packet.indexOf('MQTT') + 4] ?? 0
      this.versions.push(version)
      if (this.faults.isRefusing || (this.faults.isRefusingVersion5 && version === 5)) this.#refuse(socket)
      else this.#forward(socket, packet, brokerPort)
    })
  }

  #refuse(socket: Socket): void {
    this.refused++
    socket.destroy()
  }

  /** `packet`: the first one of the connector. */
  #forward(socket: Socket, packet: Buffer, brokerPort: number): void {
    const broker = connect(brokerPort, '127.0.0.1').setNoDelay()
    this.#sockets.add(broker.on('error', () => undefined))
    socket.setNoDelay()
    if (!this.faults.isHanging && !this.faults.isDeaf) broker.write(packet)
    socket.on('data', bytes => this.faults.isHanging || this.faults.isDeaf || broker.write(bytes))
    broker.on('data', bytes => {
      if (this.faults.isHalving && isMessage(bytes)) return this.#halve(socket, bytes)
      if (!this.faults.isHanging) socket.write(bytes)
      if (this.faults.slownessMs === 0) return
      broker.pause()
      setTimeout(() => broker.resume(), (this.faults.slownessMs * bytes.length) / 65_536)
    })
    socket.on('close', () => broker.destroy())
    broker.on('close', () => socket.destroy())
  }

  #halve(socket: Socket, bytes: Buffer): void {
    this.faults.isHalving = false
    socket.end(bytes.subarray(0, bytes.length / 2))
  }
}

/** Whether bytes begin with a PUBLISH packet. */
function isMessage(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) >> 4 === 3
}
