import { chunkRange, encodeOffset, parseChunkKey, startKey } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import type { Store, Write } from './store.ts'
import type { Topic } from './topics.ts'
import type { Writer } from './writer.ts'

const chunksPerWrite = 1_000

/**
 * Deletes the chunks that were taken before `now - retentionMs`, oldest first, in small writes between the others, and gives their
 * disk space back. A partition's end stays what it was.
 */
export async function expire(topics: readonly Topic[], now: number, store: Store, writer: Writer): Promise<void> {
  for (const { retentionMs, partitions } of topics) {
    if (retentionMs === null) continue
    for (const log of partitions) await expirePartition(log, now - retentionMs, store, writer)
  }
}

async function expirePartition(log: PartitionLog, beforeMs: number, store: Store, writer: Writer): Promise<void> {
  const { topicId, partition, start: oldStart } = log
  let expired = await oldestExpired(log, beforeMs, store)
  while (expired.keys.length > 0) {
    const { keys, next } = expired
    const start: Write = { key: startKey(topicId, partition), value: encodeOffset(next) }
    const writes = [start, ...keys.map(key => ({ key, value: null }))]
    // Nothing to undo: a deletion that was half reported is repeated.
    await writer.submit({ writes, sync: false, written: () => log.trimmed(next) })
    expired = await oldestExpired(log, beforeMs, store)
  }
  if (log.start > oldStart) await store.compact(chunkRange(topicId, partition, 0, log.start))
}

async function oldestExpired(
  log: PartitionLog,
  beforeMs: number,
  store: Store,
): Promise<{ keys: Buffer[]; next: number }> {
  const keys: Buffer[] = []
  let next = log.start
  for await (const key of store.keys(chunkRange(log.topicId, log.partition, 0, log.end), { limit: chunksPerWrite })) {
    const { first, count, timestampMs } = parseChunkKey(key)
    if (timestampMs >= beforeMs) break
    keys.push(key)
    next = first + count
  }
  return { keys, next }
}
