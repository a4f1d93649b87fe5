import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { isLiveUncertain, type MachineTrack } from './machine-track.ts'

/** Hours whose documents are not computed yet: starts of hours by machine. */
export type PendingHours = ReadonlyMap<MachineTrack, ReadonlySet<number>>

interface PendingBatch {
  /** Offset of the batch's first record of the topic of state samples. */
  readonly fromOffset: number
  readonly left: Map<MachineTrack, Set<number>>
}

/** Maximum number of separately tracked batches; further ones are added to the last. */
const maxPendingBatches = 1_000

/**
 * Consumed batches of a partition, with the machines whose documents are pending. Offsets are committed only up to the
 * first such batch, so that it is read again after a crash.
 */
export class PendingBatches {
  #pending: PendingBatch[] = []
  #nextOffset: number

  constructor(nextOffset: number) {
    this.#nextOffset = nextOffset
  }

  /** The next offset of the topic of state samples to consume. */
  get nextOffset(): number {
    return this.#nextOffset
  }

  /** A batch that ends before `nextOffset` was consumed, and these hours are pending. */
  add(nextOffset: number, left: PendingHours): void {
    const fromOffset = this.#nextOffset
    this.#nextOffset = nextOffset
    if (left.size === 0) return
    const last = this.#pending.length < maxPendingBatches ? undefined : this.#pending.at(-1)
    const batch = last ?? { fromOffset, left: new Map<MachineTrack, Set<number>>() }
    if (!last) this.#pending.push(batch)
    for (const [track, slots] of left) {
      const known = getOrCreate(batch.left, track, () => new Set<number>())
      for (const slotMs of slots) known.add(slotMs)
    }
  }

  /** Removes the hours of these machines that are no longer dirty, after their documents were computed. */
  removeComputed(tracks: readonly MachineTrack[]): void {
    if (this.#pending.length === 0) return
    for (const { left } of this.#pending) {
      for (const track of tracks) {
        const slots = left.get(track)
        if (!slots) continue
        for (const slotMs of slots) if (!track.dirty.has(slotMs)) slots.delete(slotMs)
        if (slots.size === 0) left.delete(track)
      }
    }
    this.#pending = this.#pending.filter(({ left }) => left.size > 0)
  }

  /** Every record before this offset is in the documents. */
  doneOffset(): number {
    return this.#pending[0]?.fromOffset ?? this.#nextOffset
  }

  /** Every record before this offset is in the documents of hours that begin at `liveFromMs` or later. */
  liveOffset(liveFromMs: number): number {
    const isLeft = ({ left }: PendingBatch) =>
      [...left].some(([track, slots]) => isAnyFrom(slots, liveFromMs) || isLiveUncertain(track, liveFromMs))
    return this.#pending.find(isLeft)?.fromOffset ?? this.#nextOffset
  }
}

function isAnyFrom(slots: ReadonlySet<number>, fromMs: number): boolean {
  for (const slotMs of slots) if (slotMs >= fromMs) return true
  return false
}
