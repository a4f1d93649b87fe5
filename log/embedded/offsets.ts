import { decodeOffset, encodeOffset, offsetKey, offsetRange, parseOffsetKey } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import type { LevelDbStore, Write } from './store.ts'

/** Group, topic and partition of a committed offset. */
export interface OffsetId {
  readonly group: string
  readonly topic: number
  readonly partition: number
}

/** The committed offsets of all groups: in memory, and as writes for the store. */
export class Offsets {
  readonly #offsets = new Map<string, number>()

  static async open(store: LevelDbStore): Promise<Offsets> {
    const offsets = new Offsets()
    for await (const [key, value] of store.entries(offsetRange)) {
      const offset = decodeOffset(value)
      if (offset !== null) offsets.set(parseOffsetKey(key), offset)
    }
    return offsets
  }

  /** Moves the offsets of a partition past records that are lost. */
  skipLost(log: PartitionLog): void {
    for (const [id, offset] of this.#offsets) {
      if (id.startsWith(`${log.topicId}/${log.partition}/`)) this.#offsets.set(id, log.firstReadable(offset))
    }
  }

  get(id: OffsetId): number | null {
    return this.#offsets.get(keyOf(id)) ?? null
  }

  set(id: OffsetId, offset: number): void {
    this.#offsets.set(keyOf(id), offset)
  }

  /** Returns the write of an offset and its undo. */
  writes(id: OffsetId, offset: number): { readonly writes: readonly Write[]; readonly undo: readonly Write[] } {
    const key = offsetKey(id.topic, id.partition, id.group)
    const before = this.get(id)
    return {
      writes: [{ key, value: encodeOffset(offset) }],
      undo: [{ key, value: before === null ? null : encodeOffset(before) }],
    }
  }
}

function keyOf({ group, topic, partition }: OffsetId): string {
  return `${topic}/${partition}/${group}`
}
