import type { Frame } from './frame.ts'

/** Holder of a frame that can be encoded again. */
export interface FrameHolder {
  frame: Frame | null
  /** Neighbour in the list of holders with a cached frame, in the order of creation; maintained by `FrameCache`. */
  previousHolder: FrameHolder | null
  nextHolder: FrameHolder | null
}

/** Maximum bytes of frames that are cached for later subscribers. */
const maxCachedBytes = 64 * 1024 * 1024
/** Number of forms of a frame of similar size: its JSON, and that as a text and on the wire of two transports. */
const formsOfFrame = 5

/**
 * Limits the memory of frames that subscribers share. Beyond the limit the oldest ones are evicted: a later subscriber
 * encodes its frame again.
 */
export class FrameCache {
  readonly #maxBytes: number
  #bytes = 0
  #oldest: FrameHolder | null = null
  #newest: FrameHolder | null = null

  constructor(maxBytes = maxCachedBytes) {
    this.#maxBytes = maxBytes
  }

  /** Approximate memory of the frames. */
  get bytes(): number {
    return this.#bytes
  }

  /** Caches a frame for a holder that has none. */
  keep(holder: FrameHolder, frame: Frame): void {
    holder.frame = frame
    holder.previousHolder = this.#newest
    if (this.#newest === null) this.#oldest = holder
    else this.#newest.nextHolder = holder
    this.#newest = holder
    this.#bytes += bytesOf(frame)
    while (this.#bytes > this.#maxBytes && this.#oldest !== null) this.forget(this.#oldest)
  }

  /** Removes the frame of a holder, if there is one. */
  forget(holder: FrameHolder): void {
    const { frame, previousHolder, nextHolder } = holder
    if (frame === null) return
    this.#bytes -= bytesOf(frame)
    if (previousHolder === null) this.#oldest = nextHolder
    else previousHolder.nextHolder = nextHolder
    if (nextHolder === null) this.#newest = previousHolder
    else nextHolder.previousHolder = previousHolder
    holder.frame = null
    holder.previousHolder = null
    holder.nextHolder = null
  }
}

function bytesOf(frame: Frame): number {
  return formsOfFrame * frame.bytes
}
