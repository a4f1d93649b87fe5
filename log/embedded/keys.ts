import { crc32 } from 'node:zlib'

/**
 * Keys of the embedded store, big-endian so that their byte order is the order of topics, partitions and offsets:
 * - `t` name: a topic (JSON `TopicRow`)
 * - `r` topic u16, partition u16, first offset u48, count u32, time u48 (ms), CRC-32 u32: a chunk of consecutive records. The CRC
 *   covers the key before it and the value; chunks of versions before it was added lack it
 * - `s` topic u16, partition u16: the first offset that retention has kept (f64)
 * - `o` topic u16, partition u16, group: the next offset that the group reads (f64)
 * - `e`: the ends of all partitions (`partition-ends.ts`)
 * - `f`: the version of this format (JSON number); missing: 1
 * - `d` topic u16, partition u16, first offset u48: lost records (JSON `LogDamage`)
 */
const prefix = { topic: 0x74, chunk: 0x72, start: 0x73, offset: 0x6f, ends: 0x65, format: 0x66, damage: 0x64 } as const

const partitionBytes = 5

/** Position of a chunk of `count` records; its last record has offset `first + count - 1`. */
export interface ChunkKey {
  readonly first: number
  readonly count: number
  /** Time of the append, UTC ms. */
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

const chunkKeyBytes = partitionBytes + 16

/** Encodes the key of a chunk with the CRC-32 of key and value. */
export function chunkKeyWithCrc(
  topic: number,
  partition: number,
  chunk: ChunkKey & { readonly bytes: Buffer },
): Buffer {
  const key = chunkKey(topic, partition, chunk)
  const crc = Buffer.allocUnsafe(4)
  crc.writeUInt32BE(crc32(chunk.bytes, crc32(key)))
  return Buffer.concat([key, crc])
}

/** Whether key and value of a chunk match the CRC-32 in the key; null: the key has none. */
export function matchesCrc(key: Buffer, bytes: Buffer): boolean | null {
  if (key.length === chunkKeyBytes) return null
  if (key.length !== chunkKeyBytes + 4) return false
  return key.readUInt32BE(chunkKeyBytes) === crc32(bytes, crc32(key.subarray(0, chunkKeyBytes)))
}

export function topicOfChunkKey(key: Buffer): number {
  return key.readUInt16BE(1)
}

export function parseChunkKey(key: Buffer): ChunkKey {
  return {
    first: key.readUIntBE(partitionBytes, 6),
    count: key.readUInt32BE(partitionBytes + 6),
    timestampMs: key.readUIntBE(partitionBytes + 10, 6),
  }
}

/** Range of the chunks of a partition whose first offset is in [from, to). */
export function chunkRange(topic: number, partition: number, from = 0, to = 2 ** 48 - 1): KeyRange {
  const gte = partitionKey(prefix.chunk, topic, partition, 6)
  gte.writeUIntBE(from, partitionBytes, 6)
  const lt = partitionKey(prefix.chunk, topic, partition, 6)
  lt.writeUIntBE(to, partitionBytes, 6)
  return { gte, lt }
}

export const endsKey = Buffer.from([prefix.ends])
export const formatKey = Buffer.from([prefix.format])
export const damageRange: KeyRange = { gte: Buffer.from([prefix.damage]), lt: Buffer.from([prefix.damage + 1]) }

export function damageKey(topic: number, partition: number, from: number): Buffer {
  const key = partitionKey(prefix.damage, topic, partition, 6)
  key.writeUIntBE(from, partitionBytes, 6)
  return key
}

/** Range of the chunks of all topics from this one on. */
export function chunksFromTopic(topic: number): KeyRange {
  return { gte: chunkRange(topic, 0).gte, lt: Buffer.from([prefix.chunk + 1]) }
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

const offsetBytes = 8

/** Encodes an offset as a value, with its CRC-32. */
export function encodeOffset(offset: number): Buffer {
  const value = Buffer.alloc(offsetBytes + 4)
  value.writeDoubleBE(offset)
  value.writeUInt32BE(crc32(value.subarray(0, offsetBytes)), offsetBytes)
  return value
}

/** Returns null for a damaged value. Values of versions before the CRC was added lack it. */
export function decodeOffset(value: Buffer): number | null {
  const body = value.subarray(0, offsetBytes)
  const isDamaged =
    body.length < offsetBytes || (value.length > offsetBytes && value.readUInt32BE(offsetBytes) !== crc32(body))
  return isDamaged ? null : body.readDoubleBE()
}
