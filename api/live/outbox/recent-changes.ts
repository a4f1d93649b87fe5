import type { Frame } from './frame.ts'
import type { FrameSource, FrameCache } from './frame-cache.ts'
import type { FlushBatch } from './flush-batch.ts'

/**
 * The newest change of a key, in the order of changes. The first subscriber that receives it encodes its frame, which
 * all share.
 */
interface Entry<Change> extends FrameSource {
  change: Change
  number: number
  older: Entry<Change> | null
  newer: Entry<Change> | null
}

/**
 * Changes of one machine while it has subscribers: the newest of each key, in order of arrival. The first subscriber
 * that receives a change encodes its frame, which all share.
 */
export class RecentChanges<Change> {
  readonly #frameOf: (change: Change) => Frame
  readonly #cache: FrameCache
  readonly #entries = new Map<number, Entry<Change>>()
  #newest: Entry<Change> | null = null
  #count = 0
  /** Entries whose frame was encoded since `forgetFrames`. */
  readonly #encoded = new Set<Entry<Change>>()

  /** `cache`: limits the frames of all machines together. */
  constructor(frameOf: (change: Change) => Frame, cache: FrameCache) {
    this.#frameOf = frameOf
    this.#cache = cache
  }

  /** Number of changes so far. */
  get count(): number {
    return this.#count
  }

  /**
   * Adds a change; it replaces the one of its key and goes to the end, so that a machine's updates never go back in
   * time.
   */
  add(key: number, change: Change): void {
    const number = ++this.#count
    const known = this.#entries.get(key)
    if (known === undefined) {
      const entry: Entry<Change> = { change, number, frame: null, older: null, newer: null }
      this.#entries.set(key, entry)
      this.#append(entry)
      return
    }
    known.change = change
    known.number = number
    this.#cache.evict(known)
    if (known === this.#newest) return
    this.#unlink(known)
    this.#append(known)
  }

  /**
   * Adds the frames of the changes after the first `count` to a flush, oldest first, without known ones. Returns the
   * number of changes that are sent then: all, or as many as the capacity allows.
   */
  since(count: number, batch: FlushBatch, isKnown: ((change: Change, number: number) => boolean) | null): number {
    let entry = this.#newest
    if (entry === null || entry.number <= count) return this.#count
    while (entry.older !== null && entry.older.number > count) entry = entry.older
    for (let each: Entry<Change> | null = entry; each !== null; each = each.newer) {
      if (batch.isOver) return each.number - 1
      if (!isKnown?.(each.change, each.number)) batch.put(each.frame ?? this.#encode(each))
    }
    return this.#count
  }

  /** All subscribers are up to date: the frames are no longer needed. */
  forgetFrames(): void {
    for (const entry of this.#encoded) this.#cache.evict(entry)
    this.#encoded.clear()
  }

  #encode(entry: Entry<Change>): Frame {
    const frame = this.#frameOf(entry.change)
    this.#cache.store(entry, frame)
    this.#encoded.add(entry)
    return frame
  }

  #append(entry: Entry<Change>): void {
    entry.older = this.#newest
    entry.newer = null
    if (this.#newest !== null) this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink({ older, newer }: Entry<Change>): void {
    if (older !== null) older.newer = newer
    if (newer !== null) newer.older = older
  }
}
