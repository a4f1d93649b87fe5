import type { Writable } from 'node:stream'
import type { Outgoing } from '../../live/frame.ts'
import { textHeader } from '../../live/text-message.ts'

/** A message on its way to one client. Its parts are not copied together: a result is shared by all who get it. */
export class SocketFrame implements Outgoing {
  readonly machineRef = null
  readonly #parts: readonly Buffer[]
  readonly #length: number

  constructor(parts: readonly (Buffer | string)[]) {
    this.#parts = parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part))
    this.#length = this.#parts.reduce((sum, { length }) => sum + length, 0)
  }

  get bytes(): number {
    return this.#length + 64
  }

  /** Puts it on the wire as one text message. */
  write(socket: Writable): void {
    socket.write(textHeader(this.#length))
    for (const part of this.#parts) socket.write(part)
  }
}
