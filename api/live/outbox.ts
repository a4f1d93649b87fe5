import type { Outgoing } from './frame.ts'

/**
 * Unsent frames of one subscriber: the newest of each key, in order of arrival. A newer frame replaces the one of its
 * key and goes to the end.
 */
export class Outbox<Frame extends Outgoing> {
  readonly #frames = new Map<number, Frame>()
  #bytes = 0
  #nextEvent = -1

  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#frames.size === 0
  }

  /** Replaces the frame of the key (0 or more) and goes to the end. */
  put(key: number, frame: Frame): void {
    const before = this.#frames.get(key)
    if (before !== undefined) {
      this.#frames.delete(key)
      this.#bytes -= before.bytes
    }
    this.#frames.set(key, frame)
    this.#bytes += frame.bytes
  }

  /** Adds a frame that is never replaced. */
  push(frame: Frame): void {
    this.#frames.set(this.#nextEvent--, frame)
    this.#bytes += frame.bytes
  }

  /** Adds a response to a command. It is never replaced, and its bytes do not count. */
  answer(frame: Frame): void {
    this.#frames.set(this.#nextEvent--, frame)
  }

  /** Removes the frame of a key (0 or more). */
  remove(key: number): void {
    this.#bytes -= this.#frames.get(key)?.bytes ?? 0
    this.#frames.delete(key)
  }

  /** Removes and returns all frames. */
  take(): Frame[] {
    if (this.#frames.size === 0) return []
    const frames = [...this.#frames.values()]
    this.#frames.clear()
    this.#bytes = 0
    return frames
  }
}
