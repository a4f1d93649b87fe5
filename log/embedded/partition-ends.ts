import { crc32 } from 'node:zlib'
import { endsKey } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import type { Write } from './store.ts'

/** Next offset to write, by partition. */
export class PartitionEnds {
  readonly #ends = new Map<number, number>()

  get(topicId: number, partition: number): number {
    return this.#ends.get(placeOf(topicId, partition)) ?? 0
  }

  /** Raises the stored end; a lower one is ignored. */
  raise(topicId: number, partition: number, end: number): void {
    const place = placeOf(topicId, partition)
    this.#ends.set(place, Math.max(this.#ends.get(place) ?? 0, end))
  }

  /** Raises the ends to those of a stored value; ignores a damaged one. */
  raiseTo(stored: Buffer): void {
    const body = stored.subarray(0, -crcBytes)
    if (stored.length < crcBytes || stored.readUInt32BE(body.length) !== crc32(body)) return
    for (let at = 0; at + entryBytes <= body.length; at += entryBytes) {
      this.raise(body.readUInt16BE(at), body.readUInt16BE(at + 2), body.readUIntBE(at + 4, 6))
    }
  }
}

const crcBytes = 4
/** Topic u16, partition u16, end u48. */
const entryBytes = 10

function placeOf(topicId: number, partition: number): number {
  return topicId * 65_536 + partition
}

/** Returns the write that stores the ends of all partitions, with those of `changed` replaced. */
export function endsWrite(all: Iterable<PartitionLog>, changed: ReadonlyMap<PartitionLog, number> = new Map()): Write {
  const logs = [...all]
  const value = Buffer.allocUnsafe(logs.length * entryBytes + crcBytes)
  let at = 0
  for (const log of logs) {
    at = value.writeUInt16BE(log.topicId, at)
    at = value.writeUInt16BE(log.partition, at)
    at = value.writeUIntBE(changed.get(log) ?? log.end, at, 6)
  }
  value.writeUInt32BE(crc32(value.subarray(0, at)), at)
  return { key: endsKey, value }
}
