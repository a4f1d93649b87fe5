/**
 * Keys of the embedded store, big-endian so that their byte order is the order of topics, partitions and offsets:
 * - `t` name: a topic (JSON `TopicRow`)
 * - `r` topic u16, partition u16, first offset u48, count u32, time u48 (ms): a chunk of consecutive records
 * - `s` topic u16, partition u16: the first offset that retention has kept (f64)
 * - `o` topic u16, partition u16, group: the next offset that the group reads (f64)
 */
const prefix = { topic: 0x74, chunk: 0x72, start: 0x73, offset: 0x6f } as const

const partitionBytes = 5

/** Where a chunk of `count` records lies; the last of them has offset `first + count - 1`. */
export interface ChunkKey {
  readonly first: number
  readonly count: number
  /** When the log took them, UTC ms. */
  readonly timestampMs: number
}

export interface KeyRange {
  readonly gte: Buffer
  readonly lt: Buffer
}

function partitionKey(kind: number, topic: number, partition: number, extraBytes: number): Buffer {
  const key = Buffer.alloc(partitionBytes + extraBytes)
  key.writeUInt8(kind, 0)
  key.writeUInt16BE(topic, 1)
  key.writeUInt16BE(partition, 3)
  return key
}

export function topicKey(name: string): Buffer {
  return Buffer.concat([Buffer.from([prefix.topic]), Buffer.from(name)])
}

export const topicRange: KeyRange = { gte: Buffer.from([prefix.topic]), lt: Buffer.from([prefix.topic + 1]) }
export const offsetRange: KeyRange = { gte: Buffer.from([prefix.offset]), lt: Buffer.from([prefix.offset + 1]) }

export function chunkKey(topic: number, partition: number, chunk: ChunkKey): Buffer {
  const key = partitionKey(prefix.chunk, topic, partition, 16)
  key.writeUIntBE(chunk.first, partitionBytes, 6)
  key.writeUInt32BE(chunk.count, partitionBytes + 6)
  key.writeUIntBE(chunk.timestampMs, partitionBytes + 10, 6)
  return key
}

export function parseChunkKey(key: Buffer): ChunkKey {
  return {
    first: key.readUIntBE(partitionBytes, 6),
    count: key.readUInt32BE(partitionBytes + 6),
    timestampMs: key.readUIntBE(partitionBytes + 10, 6),
  }
}

/** Chunks of a partition whose first offset lies in [from, to). */
export function chunkRange(topic: number, partition: number, from = 0, to = 2 ** 48 - 1): KeyRange {
  const gte = partitionKey(prefix.chunk, topic, partition, 6)
  gte.writeUIntBE(from, partitionBytes, 6)
  const lt = partitionKey(prefix.chunk, topic, partition, 6)
  lt.writeUIntBE(to, partitionBytes, 6)
  return { gte, lt }
}

export function startKey(topic: number, partition: number): Buffer {
  return partitionKey(prefix.start, topic, partition, 0)
}

export function offsetKey(topic: number, partition: number, group: string): Buffer {
  return Buffer.concat([partitionKey(prefix.offset, topic, partition, 0), Buffer.from(group)])
}

export function parseOffsetKey(key: Buffer): { topic: number; partition: number; group: string } {
  return {
    topic: key.readUInt16BE(1),
    partition: key.readUInt16BE(3),
    group: key.toString('utf8', partitionBytes),
  }
}

/** An offset as a value. */
export function encodeOffset(offset: number): Buffer {
  const value = Buffer.alloc(8)
  value.writeDoubleBE(offset)
  return value
}

export function decodeOffset(value: Buffer): number {
  return value.readDoubleBE()
}
