import type { NewRecord } from './log.ts'

/**
 * Computes Kafka's default hash of a key (murmur2 over its UTF-8 bytes, seed 0x9747b28c), so that keys map to the same
 * partitions as in the Java client and most others.
 * https://kafka.apache.org/documentation/#producerconfigs_partitioner.class
 */
export function murmur2(bytes: Uint8Array): number {
  const mix = 0x5bd1e995
  const { length } = bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  let hash = 0x9747b28c ^ length
  let at = 0
  for (; at + 4 <= length; at += 4) {
    let word = Math.imul(view.getInt32(at, true), mix)
    word = Math.imul(word ^ (word >>> 24), mix)
    hash = Math.imul(hash, mix) ^ word
  }
  if (length - at > 0) {
    for (let rest = length - 1; rest >= at; rest--) hash ^= view.getUint8(rest) << (8 * (rest - at))
    hash = Math.imul(hash, mix)
  }
  hash = Math.imul(hash ^ (hash >>> 13), mix)
  return hash ^ (hash >>> 15)
}

/** Returns the partition of a key, equal for both logs. */
export function partitionOfKey(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions
}

/**
 * Chooses the partition of each record of one append: the requested one, otherwise by key; records without a key go to
 * one partition per call, round-robin over calls. Throws RangeError for an unknown partition.
 */
export class Partitioner {
  #turn = 0

  assign(records: readonly NewRecord[], partitions: number): readonly number[] {
    const keyless = this.#turn++ % partitions
    return records.map(({ partition, key }) => {
      if (partition === undefined) return key === null ? keyless : partitionOfKey(key, partitions)
      if (Number.isInteger(partition) && partition >= 0 && partition < partitions) return partition
      throw new RangeError(`Unknown partition ${partition}: the topic has ${partitions}`)
    })
  }
}
