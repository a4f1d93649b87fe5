import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { CloseReason } from '../../../schema/requests/live.ts'
import type { Connection } from '../../live/connection.ts'
import { closeCodes, highWaterBytes } from '../../live/transport/plain.ts'
import type { SocketFrame } from './socket-frame.ts'

/** Time that a client has to reply to the close frame. */
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

  /** Closes the WebSocket with a code; disconnects a client that does not reply. */
  end(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
    setTimeout(() => this.#webSocket.terminate(), closeWithinMs).unref()
  }
}
