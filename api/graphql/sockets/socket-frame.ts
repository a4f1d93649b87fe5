import type { Writable } from 'node:stream'
import { type Outgoing, textHeader } from '../../live/outbox/frame.ts'

/** Maximum size of a message that is copied into one chunk, because each chunk costs more than the copy. */
const maxCopiedBytes = 32 * 1024

/** A message to clients. The parts of a large message are not copied, because all its receivers share the result. */
export class SocketFrame implements Outgoing {
  readonly #chunks: readonly Buffer[]
  readonly #length: number

  constructor(parts: readonly (Buffer | string)[]) {
    const buffers = parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part))
    this.#length = buffers.reduce((sum, { length }) => sum + length, 0)
    const chunks = [textHeader(this.#length), ...buffers]
    this.#chunks = this.#length > maxCopiedBytes ? chunks : [Buffer.concat(chunks)]
  }

  get bytes(): number {
    return this.#length + 64
  }

  /** Writes the frame as one WebSocket text message. */
  write(socket: Writable): void {
    for (const chunk of this.#chunks) socket.write(chunk)
  }
}

/** Creates the messages of results. Consecutive clients whose operations have the same id share a message. */
export class ResultFrames {
  #last: {
    readonly json: Buffer
    readonly before: string
    readonly after: string
    readonly frame: SocketFrame
  } | null = null

  of(json: Buffer, [before, after]: readonly [string, string]): SocketFrame {
    const last = this.#last
    if (last?.json === json && last.before === before && last.after === after) return last.frame
    const frame = new SocketFrame([before, json, after])
    // The parts of a large message share the bytes of the result already, so it is not cached.
    if (json.length <= maxCopiedBytes) this.#last = { json, before, after, frame }
    return frame
  }
}
