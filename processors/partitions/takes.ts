import type { MachineTrack } from './machine-track.ts'

/** Hours of machines whose documents have yet to be made, by the starts of the hours. */
export type LeftHours = ReadonlyMap<MachineTrack, ReadonlySet<number>>

interface Take {
  /** Offset of the batch's first record of the topic of state samples. */
  readonly fromOffset: number
  readonly left: Map<MachineTrack, Set<number>>
}

/** Maximum number of separately tracked batches; further ones are added to the last. */
const mostTakes = 1_000

/**
 * Consumed batches of a partition, with the machines whose documents are pending. Offsets are committed only up to the
 * first such batch, so that it is read again after a crash.
 */
export class Takes {
  #takes: Take[] = []
  #nextOffset: number

  constructor(nextOffset: number) {
    this.#nextOffset = nextOffset
  }

  /** The offset after all consumed batches. */
  get nextOffset(): number {
    return this.#nextOffset
  }

  /** A batch that ends before `nextOffset` was consumed, and these hours are pending. */
  add(nextOffset: number, left: LeftHours): void {
    const fromOffset = this.#nextOffset
    this.#nextOffset = nextOffset
    if (left.size === 0) return
    const last = this.#takes.length < mostTakes ? undefined : this.#takes.at(-1)
    const take = last ?? { fromOffset, left: new Map<MachineTrack, Set<number>>() }
    if (!last) this.#takes.push(take)
    for (const [track, slots] of left) {
      const known = take.left.get(track) ?? new Set()
      for (const slotMs of slots) known.add(slotMs)
      take.left.set(track, known)
    }
  }

  /** Documents of these machines were computed: their hours that are no longer dirty are complete. */
  made(tracks: readonly MachineTrack[]): void {
    if (this.#takes.length === 0) return
    for (const { left } of this.#takes) {
      for (const track of tracks) {
        const slots = left.get(track)
        if (!slots) continue
        for (const slotMs of slots) if (!track.dirty.has(slotMs)) slots.delete(slotMs)
        if (slots.size === 0) left.delete(track)
      }
    }
    this.#takes = this.#takes.filter(({ left }) => left.size > 0)
  }

  /** Every record before this offset is in the documents of its hour, as far as that hour begins at `fromMs` or later. */
  doneOffset(fromMs = -Infinity): number {
    const isLeft = ({ left }: Take) => [...left.values()].some(slots => isAnyFrom(slots, fromMs))
    return this.#takes.find(isLeft)?.fromOffset ?? this.#nextOffset
  }
}

function isAnyFrom(slots: ReadonlySet<number>, fromMs: number): boolean {
  if (fromMs === -Infinity) return slots.size > 0
  for (const slotMs of slots) if (slotMs >= fromMs) return true
  return false
}
