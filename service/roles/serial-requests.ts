import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

/**
 * Limit of parsed requests of all connections that wait for an earlier response. One read of a socket contains up to
 * 2,700 pipelined requests of about 4 kB of memory each, so this limits their memory to about 80 MB.
 */
const maxWaitingRequests = 20_000

/**
 * Handles the requests of a connection one at a time, in order: each after the system has accepted the previous
 * response (RFC 9112, section 9.3.2). Sockets with waiting requests are not read. Closes a connection if the number of
 * waiting requests of all connections exceeds `maxWaitingRequests`.
 */
export class SerialRequests {
  readonly #handle: RequestListener
  readonly #waiting = { requests: 0 }
  readonly #connections = new WeakMap<Socket, Connection>()

  constructor(handle: RequestListener) {
    this.#handle = handle
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    let connection = this.#connections.get(socket)
    if (!connection) this.#connections.set(socket, (connection = new Connection(socket, this.#handle, this.#waiting)))
    connection.add(request, response)
  }

  /** Whether a request of the connection has no complete response yet. */
  isHandling(socket: Socket): boolean {
    return this.#connections.get(socket)?.isHandling === true
  }

  /** Whether a response to the connection was written only in part. */
  isResponding(socket: Socket): boolean {
    return this.isHandling(socket) && this.#connections.get(socket)?.response?.headersSent === true
  }
}

class Connection {
  readonly #socket: Socket
  readonly #handle: RequestListener
  readonly #total: { requests: number }
  #waiting: Exchange[] = []
  #isHandling = false
  #response: ServerResponse | null = null

  /** The response to the request that was handled last. */
  get response(): ServerResponse | null {
    return this.#response
  }

  get isHandling(): boolean {
    return this.#isHandling
  }

  constructor(socket: Socket, handle: RequestListener, total: { requests: number }) {
    this.#socket = socket
    this.#handle = handle
    this.#total = total
    socket.once('close', () => this.#clear())
    // Node resumes a socket after each response. The event is emitted later than the call, and starts to read even if
    // the socket was paused in between; then only the event 'pause' stops it.
    socket.on('resume', () => {
      if (this.#waiting.length === 0) return
      if (socket.isPaused()) socket.emit('pause')
      else socket.pause()
    })
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isHandling) {
      this.#begin([request, response])
    } else if (this.#total.requests >= maxWaitingRequests) {
      this.#socket.destroy()
    } else if (!this.#socket.destroyed) {
      this.#waiting.push([request, response])
      this.#total.requests += 1
      this.#socket.pause()
    }
  }

  #begin([request, response]: Exchange): void {
    this.#isHandling = true
    this.#response = response
    response.once('close', () => this.#end())
    this.#handle(request, response)
  }

  /** Continues in a later phase of the event loop, so that a chain of short requests does not block it. */
  #end(): void {
    if (this.#waiting.length === 0) this.#isHandling = false
    else setImmediate(() => this.#next())
  }

  #next(): void {
    const exchange = this.#waiting.shift()
    if (!exchange) {
      this.#isHandling = false
      return
    }
    this.#total.requests -= 1
    if (this.#waiting.length === 0) this.#socket.resume()
    this.#begin(exchange)
  }

  #clear(): void {
    this.#total.requests -= this.#waiting.length
    this.#waiting = []
  }
}
