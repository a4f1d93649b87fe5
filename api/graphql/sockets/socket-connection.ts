import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { CloseReason } from '../../../schema/requests/live.ts'
import type { Connection } from '../../live/connection.ts'
import { closeCodes, highWaterBytes } from '../../live/transport/plain.ts'
import type { SocketFrame } from './socket-frame.ts'

/** After the close frame a client has so long to answer it. */
const closeWithinMs = 2_000

/** One client's WebSocket. */
export class SocketConnection implements Connection<SocketFrame> {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket
    this.#socket = socket
  }

  write(frames: readonly SocketFrame[]): boolean {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return true
    this.#socket.cork()
    for (const frame of frames) frame.write(this.#socket)
    this.#socket.uncork()
    return this.#socket.writableLength < highWaterBytes
  }

  close(reason: CloseReason): void {
    this.end(closeCodes[reason], reason)
  }

  /** Closes it with a code of its own; a client that does not answer is cut off. */
  end(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
    setTimeout(() => this.#webSocket.terminate(), closeWithinMs).unref()
  }
}
