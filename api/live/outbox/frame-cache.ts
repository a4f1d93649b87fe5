import type { Frame } from './frame.ts'

/** Holder of a frame that can be encoded again. */
export interface FrameSource {
  /** Maintained by `FrameCache`. */
  frame: Frame | null
}

/** Maximum bytes of frames that are cached for later subscribers. */
const maxCachedBytes = 64 * 1024 * 1024
/** Number of forms of a frame of similar size: its JSON, and that as a text and on the wire of two transports. */
const formsOfFrame = 5
/** Part of the limit that remains after an eviction: each eviction visits the places of all previous ones. */
const evictedTo = 0.9

/**
 * Limits the memory of frames that subscribers share. Beyond the limit the oldest ones are evicted: a later subscriber
 * encodes its frame again.
 */
export class FrameCache {
  readonly #maxBytes: number
  /** In the order in which their frames were created. */
  readonly #sources = new Set<FrameSource>()
  #bytes = 0

  constructor(maxBytes = maxCachedBytes) {
    this.#maxBytes = maxBytes
  }

  /** Approximate memory of the frames. */
  get bytes(): number {
    return this.#bytes
  }

  store(source: FrameSource, frame: Frame): void {
    source.frame = frame
    this.#sources.add(source)
    this.#bytes += formsOfFrame * frame.bytes
    if (this.#bytes <= this.#maxBytes) return
    for (const oldest of this.#sources) {
      this.evict(oldest)
      if (this.#bytes <= evictedTo * this.#maxBytes) return
    }
  }

  /** Removes the frame of a source, if there is one. */
  evict(source: FrameSource): void {
    if (source.frame === null) return
    this.#bytes -= formsOfFrame * source.frame.bytes
    source.frame = null
    this.#sources.delete(source)
  }
}
