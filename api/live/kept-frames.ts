import type { Frame } from './frame.ts'

/** Holder of a frame that can be encoded again. */
export interface FrameHolder {
  frame: Frame | null
  /** Neighbour in the list of holders with a cached frame, in the order of creation; maintained by `KeptFrames`. */
  keptBefore: FrameHolder | null
  keptAfter: FrameHolder | null
}

/** Maximum bytes of frames that are cached for later subscribers. */
const keptBytes = 64 * 1024 * 1024
/** Number of forms of a frame of similar size: its JSON, and that as a text and on the wire of two transports. */
const formsOfFrame = 5

/**
 * Limits the memory of frames that subscribers share. Beyond the limit the oldest ones are evicted: a later subscriber
 * encodes its frame again.
 */
export class KeptFrames {
  readonly #maxBytes: number
  #bytes = 0
  #oldest: FrameHolder | null = null
  #newest: FrameHolder | null = null

  constructor(maxBytes = keptBytes) {
    this.#maxBytes = maxBytes
  }

  /** Approximate memory of the frames. */
  get bytes(): number {
    return this.#bytes
  }

  /** Caches a frame for a holder that has none. */
  keep(holder: FrameHolder, frame: Frame): void {
    holder.frame = frame
    holder.keptBefore = this.#newest
    if (this.#newest === null) this.#oldest = holder
    else this.#newest.keptAfter = holder
    this.#newest = holder
    this.#bytes += bytesOf(frame)
    while (this.#bytes > this.#maxBytes && this.#oldest !== null) this.forget(this.#oldest)
  }

  /** Removes the frame of a holder, if there is one. */
  forget(holder: FrameHolder): void {
    const { frame, keptBefore, keptAfter } = holder
    if (frame === null) return
    this.#bytes -= bytesOf(frame)
    if (keptBefore === null) this.#oldest = keptAfter
    else keptBefore.keptAfter = keptAfter
    if (keptAfter === null) this.#newest = keptBefore
    else keptAfter.keptBefore = keptBefore
    holder.frame = null
    holder.keptBefore = null
    holder.keptAfter = null
  }
}

function bytesOf(frame: Frame): number {
  return formsOfFrame * frame.bytes
}
