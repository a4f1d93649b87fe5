import type { Frame } from './frame.ts'

/** The frames of one turn of a subscriber. */
export class Turn {
  readonly #frames: Frame[]
  #left: number

  /** Frames are added to `frames`, until they have `bytes`. */
  constructor(frames: Frame[], bytes: number) {
    this.#frames = frames
    this.#left = bytes
  }

  /** Whether the rest has to wait for the next turn. */
  get isOver(): boolean {
    return this.#left <= 0
  }

  put(frame: Frame): void {
    this.#frames.push(frame)
    this.#left -= frame.bytes
  }

  /** Counts what takes time, and sends nothing. */
  count(bytes: number): void {
    this.#left -= bytes
  }
}
