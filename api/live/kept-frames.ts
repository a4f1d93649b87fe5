import type { Frame } from './frame.ts'

/** Holder of a frame that can be encoded again. */
export interface FrameHolder {
  frame: Frame | null
  /** Neighbours among those whose frame is kept, in the order of making; kept by `KeptFrames`. */
  keptBefore: FrameHolder | null
  keptAfter: FrameHolder | null
}

/** Maximum bytes of frames that are cached for later subscribers. */
const keptBytes = 64 * 1024 * 1024
/** A frame has its JSON, and that as a text and on the wire of two transports: each takes about as much again. */
const formsOfFrame = 5

/**
 * Limits the memory of frames that subscribers share. Beyond the limit the oldest ones are evicted: a later subscriber
 * encodes its frame again.
 */
export class KeptFrames {
  readonly #mostBytes: number
  #bytes = 0
  #oldest: FrameHolder | null = null
  #newest: FrameHolder | null = null

  constructor(mostBytes = keptBytes) {
    this.#mostBytes = mostBytes
  }

  /** About what the frames take in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Keeps a frame that was made for a holder that has none. */
  keep(holder: FrameHolder, frame: Frame): void {
    holder.frame = frame
    holder.keptBefore = this.#newest
    if (this.#newest === null) this.#oldest = holder
    else this.#newest.keptAfter = holder
    this.#newest = holder
    this.#bytes += bytesOf(frame)
    while (this.#bytes > this.#mostBytes && this.#oldest !== null) this.forget(this.#oldest)
  }

  /** Forgets the frame of a holder, where it has one. */
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
