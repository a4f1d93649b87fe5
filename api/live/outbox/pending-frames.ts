import type { Frame } from './frame.ts'
import type { FrameSource, Subscriber } from './subscriber.ts'

/**
 * The items that a subscriber has not been sent, by id. A flush encodes the newest state of each, so that a slow
 * subscriber receives an item once, and costs no memory for frames.
 */
export class PendingFrames implements FrameSource {
  readonly #ids = new Set<string>()
  readonly #subscriber: Subscriber
  readonly #frameOf: (id: string) => Frame | null

  /** `frameOf`: returns the present state of an item; null: it is not sent. */
  constructor(subscriber: Subscriber, frameOf: (id: string) => Frame | null) {
    this.#subscriber = subscriber
    this.#frameOf = frameOf
    subscriber.readFrom(this)
  }

  add(id: string): void {
    this.#ids.add(id)
    this.#subscriber.queue()
  }

  delete(id: string): void {
    this.#ids.delete(id)
  }

  clear(): void {
    this.#ids.clear()
  }

  addFrames(frames: Frame[], bytes: number): boolean {
    let added = 0
    for (const id of this.#ids) {
      if (added >= bytes) return true
      this.#ids.delete(id)
      const frame = this.#frameOf(id)
      if (frame === null) continue
      frames.push(frame)
      added += frame.bytes
    }
    return false
  }
}
