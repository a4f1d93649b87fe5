import type { Writable } from 'node:stream'
import type { Outgoing } from '../../live/frame.ts'
import { textHeader } from '../../live/text-message.ts'

/** Messages up to this size are written in one piece: each piece costs more than to copy it. */
const mostCopiedBytes = 32 * 1024

/** A message on its way to clients. The parts of a large one are not copied together: a result is shared by all who get it. */
export class SocketFrame implements Outgoing {
  readonly #pieces: readonly Buffer[]
  readonly #length: number

  constructor(parts: readonly (Buffer | string)[]) {
    const buffers = parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part))
    this.#length = buffers.reduce((sum, { length }) => sum + length, 0)
    const pieces = [textHeader(this.#length), ...buffers]
    this.#pieces = this.#length > mostCopiedBytes ? pieces : [Buffer.concat(pieces)]
  }

  get bytes(): number {
    return this.#length + 64
  }

  /** Puts it on the wire as one text message. */
  write(socket: Writable): void {
    for (const piece of this.#pieces) socket.write(piece)
  }
}

/** Makes the messages of results: clients that are told one after the other, and gave their operations one id, share a message. */
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
    // A large one shares its bytes already, and is not kept for longer than it is told.
    if (json.length <= mostCopiedBytes) this.#last = { json, before, after, frame }
    return frame
  }
}
