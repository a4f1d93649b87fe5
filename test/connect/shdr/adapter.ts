import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A value that an adapter sends. Without a time, the connector uses the time of receipt. */
export interface Sent {
  readonly key: string
  readonly value: string
  /** UTC ms; null: the line has no time. */
  readonly ms: number | null
  /** Fields of a condition. */
  readonly code?: string
  readonly message?: string
  /** Name before the key, as in `device:key`. */
  readonly device?: string
}

/** Formats values as lines. */
export function lineOf({ key, value, ms, code, message = '', device }: Sent): string {
  const time = ms === null ? '' : new Date(ms).toISOString()
  const name = device === undefined ? key : `${device}:${key}`
  return code === undefined ? `${time}|${name}|${value}\n` : `${time}|${name}|${value}|${code}|||${message}\n`
}

/** An SHDR adapter: sends the present values at a connection, answers PING, and has faults on command. */
export class Adapter {
  /** Present lines by key and code, which a connection begins with. */
  readonly present = new Map<string, string>()
  readonly faults = {
    /** Number of times that each line is sent. */
    copies: 1,
    /** Whether PING has no answer. */
    isMute: false,
    isRefusing: false,
  }
  /** Interval of the answer to PING, ms. */
  pongMs = 10_000
  encoding: BufferEncoding = 'utf8'
  connections = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', socket => this.#accept(socket))
  }

  static async start(): Promise<Adapter> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Adapter(server)
  }

  get address(): string {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server listens on a port
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get open(): number {
    return this.#sockets.size
  }

  /** The machine has a value: sends it, and at each later connection. */
  send(...values: readonly Sent[]): void {
    for (const value of values) this.present.set(`${value.device}:${value.key}:${value.code ?? ''}`, lineOf(value))
    this.write(values.map(lineOf).join(''))
  }

  /** Sends text as it is. */
  write(text: string): void {
    for (const socket of this.#sockets) this.#write(socket, text)
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(socket: Socket): void {
    if (this.faults.isRefusing) return void socket.destroy()
    this.connections++
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    let isFirst = true
    socket.on('data', bytes => {
      const pings = bytes
        .toString()
        .split('\n')
        .filter(line => line.startsWith('* PING')).length
      if (this.faults.isMute) return
      // One write, so that a connection reads all of it at one time.
      const snapshot = isFirst ? [...this.present.values()].join('') : ''
      isFirst = false
      this.#write(socket, `* PONG ${this.pongMs}\n`.repeat(pings) + snapshot)
    })
  }

  #write(socket: Socket, text: string): void {
    const lines = this.faults.copies === 1 ? text : text.replace(/[^\n]*\n/g, line => line.repeat(this.faults.copies))
    socket.write(Buffer.from(lines, this.encoding))
  }
}
