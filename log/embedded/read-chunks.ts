import { decodeChunk } from './chunk.ts'
import { chunkRange, matchesCrc, parseChunkKey, type ChunkKey } from './keys.ts'
import type { LevelDbStore } from './store.ts'

/** A chunk as stored. */
export interface Chunk extends ChunkKey {
  readonly bytes: Buffer
}

/** Offsets [from, to) of a partition without readable records, and the times (UTC ms) of the chunks around them. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly afterMs: number | null
  readonly beforeMs: number | null
}

export interface ChunkSource {
  readonly store: LevelDbStore
  readonly topicId: number
  readonly partition: number
}

/**
 * Yields the intact chunks of offsets [from, to) in order, and reports each gap before it yields the chunk after it.
 * `from` must be the first offset of a chunk or of a gap.
 */
export async function* readChunks(
  source: ChunkSource,
  from: number,
  to: number,
  onGap: (gap: Gap) => void,
): AsyncGenerator<Chunk> {
  let next = from
  let afterMs: number | null = null
  while (next < to) {
    for await (const chunk of intactChunks(source, next, to)) {
      if (chunk.first < next) continue
      if (chunk.first > next) onGap({ from: next, to: chunk.first, afterMs, beforeMs: chunk.timestampMs })
      yield chunk
      next = chunk.first + chunk.count
      afterMs = chunk.timestampMs
    }
    const behind = next < to ? await firstIntactBehind(source, next, to) : null
    if (behind === null) break
    onGap({ from: next, to: behind.first, afterMs, beforeMs: behind.timestampMs })
    next = behind.first
  }
  if (next < to) onGap({ from: next, to, afterMs, beforeMs: null })
}

/** The last intact chunk whose first offset is in [from, to); null: none. */
export function lastIntact(source: ChunkSource, from: number, to?: number): Promise<Chunk | null> {
  return firstOf(intactChunks(source, from, to, true))
}

async function firstOf(chunks: AsyncIterable<Chunk>): Promise<Chunk | null> {
  for await (const chunk of chunks) return chunk
  return null
}

async function* intactChunks(
  { store, topicId, partition }: ChunkSource,
  from: number,
  to?: number,
  reverse = false,
): AsyncGenerator<Chunk> {
  for await (const [key, bytes] of store.entries(chunkRange(topicId, partition, from, to), reverse)) {
    if (isIntact(key, bytes)) yield { ...parseChunkKey(key), bytes }
  }
}

/**
 * The first chunk after `from` that a seek finds; null: none. A damaged key that sorts after the range ends an
 * iteration early, but a seek finds the chunks after it.
 */
async function firstIntactBehind(source: ChunkSource, from: number, to: number): Promise<Chunk | null> {
  let missed = from
  let found: Chunk | null = null
  let foundBy = to
  for (let distance = 1; found === null && from + distance < to; distance *= 2) {
    found = await firstOf(intactChunks(source, from + distance, to))
    if (found === null) missed = from + distance
    else foundBy = from + distance
  }
  while (foundBy - missed > 1) {
    const middle = Math.floor((missed + foundBy) / 2)
    const chunk = await firstOf(intactChunks(source, middle, to))
    if (chunk === null) missed = middle
    else [found, foundBy] = [chunk, middle]
  }
  return found
}

/** Whether the key belongs to the records of a chunk. */
export function isIntact(key: Buffer, bytes: Buffer): boolean {
  const matches = matchesCrc(key, bytes)
  return matches ?? hasRecords(key, bytes)
}

/** Whether a chunk without a CRC has the number of records in its key. */
function hasRecords(key: Buffer, bytes: Buffer): boolean {
  const { first, count, timestampMs } = parseChunkKey(key)
  try {
    const origin = { topic: '', partition: 0, first, timestampMs }
    return decodeChunk(bytes, origin, first, Infinity).length === count
  } catch {
    return false
  }
}
