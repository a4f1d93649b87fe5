import { decodeOffset, encodeOffset, offsetKey, offsetRange, parseOffsetKey } from './keys.ts'
import type { LevelDbStore, Write } from './store.ts'

/** Where an offset is committed. */
export interface OffsetPlace {
  readonly group: string
  readonly topic: number
  readonly partition: number
}

/** The committed offsets of all groups: in memory, and as writes for the store. */
export class Offsets {
  readonly #offsets = new Map<string, number>()

  static async open(store: LevelDbStore): Promise<Offsets> {
    const offsets = new Offsets()
    for await (const [key, value] of store.entries(offsetRange)) offsets.set(parseOffsetKey(key), decodeOffset(value))
    return offsets
  }

  get(place: OffsetPlace): number | null {
    return this.#offsets.get(placeId(place)) ?? null
  }

  set(place: OffsetPlace, offset: number): void {
    this.#offsets.set(placeId(place), offset)
  }

  /** The write of an offset and the one that takes it back. */
  writes(place: OffsetPlace, offset: number): { readonly writes: readonly Write[]; readonly undo: readonly Write[] } {
    const key = offsetKey(place.topic, place.partition, place.group)
    const before = this.get(place)
    return {
      writes: [{ key, value: encodeOffset(offset) }],
      undo: [{ key, value: before === null ? null : encodeOffset(before) }],
    }
  }
}

function placeId({ group, topic, partition }: OffsetPlace): string {
  return `${topic}/${partition}/${group}`
}
