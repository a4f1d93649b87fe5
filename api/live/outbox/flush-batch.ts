import type { Frame } from './frame.ts'

/** The frames of one flush of a subscriber. */
export class FlushBatch {
  readonly #frames: Frame[]
  #left: number

  /** Frames are added to `frames` up to about `bytes`. */
  constructor(frames: Frame[], bytes: number) {
    this.#frames = frames
    this.#left = bytes
  }

  /** Whether the remaining frames have to wait for the next flush. */
  get isOver(): boolean {
    return this.#left <= 0
  }

  put(frame: Frame): void {
    this.#frames.push(frame)
    this.#left -= frame.bytes
  }

  /** Counts work that sends nothing. */
  count(bytes: number): void {
    this.#left -= bytes
  }
}
