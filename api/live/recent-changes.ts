import type { Frame } from './frame.ts'
import type { FrameHolder, KeptFrames } from './kept-frames.ts'
import type { Turn } from './turn.ts'

/** The newest change of a key, in the order of changes. Its frame is made when somebody is told of it first, and shared by all. */
interface Entry<Change> extends FrameHolder {
  change: Change
  /** The running number of the change. */
  number: number
  older: Entry<Change> | null
  newer: Entry<Change> | null
}

/**
 * Changes of one machine since somebody follows it: the newest of each key, in the order in which they came. The frame of a change is made when the
 * first follower is told of it, and shared by all.
 */
export class RecentChanges<Change> {
  readonly #frameOf: (change: Change) => Frame
  readonly #kept: KeptFrames
  readonly #entries = new Map<number, Entry<Change>>()
  #newest: Entry<Change> | null = null
  #count = 0
  /** Entries whose frame was made since frames were forgotten last. */
  readonly #made = new Set<Entry<Change>>()

  /** `kept`: bounds the frames of all machines together. */
  constructor(frameOf: (change: Change) => Frame, kept: KeptFrames) {
    this.#frameOf = frameOf
    this.#kept = kept
  }

  /** How many changes came so far. */
  get count(): number {
    return this.#count
  }

  /** Takes a change; it replaces the one of its key and goes to the end, so that a machine's updates never run backwards. */
  add(key: number, change: Change): void {
    const number = ++this.#count
    const known = this.#entries.get(key)
    if (known === undefined) {
      const entry: Entry<Change> = {
        change,
        number,
        frame: null,
        keptBefore: null,
        keptAfter: null,
        older: null,
        newer: null,
      }
      this.#entries.set(key, entry)
      this.#append(entry)
      return
    }
    known.change = change
    known.number = number
    this.#kept.forget(known)
    if (known === this.#newest) return
    this.#unlink(known)
    this.#append(known)
  }

  /**
   * Puts the frames of what came after the first `count` changes into a turn, the oldest first, but those that are known already. Returns
   * how many changes are told then: all of them, or as many as there was room for.
   */
  since(count: number, turn: Turn, isKnown: ((change: Change, number: number) => boolean) | null): number {
    let entry = this.#newest
    if (entry === null || entry.number <= count) return this.#count
    while (entry.older !== null && entry.older.number > count) entry = entry.older
    for (let each: Entry<Change> | null = entry; each !== null; each = each.newer) {
      if (turn.isOver) return each.number - 1
      if (!isKnown?.(each.change, each.number)) turn.put(each.frame ?? this.#makeFrame(each))
    }
    return this.#count
  }

  /** Everybody was told everything: frames are not needed any more. */
  forgetFrames(): void {
    for (const entry of this.#made) this.#kept.forget(entry)
    this.#made.clear()
  }

  #makeFrame(entry: Entry<Change>): Frame {
    const frame = this.#frameOf(entry.change)
    this.#kept.keep(entry, frame)
    this.#made.add(entry)
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
