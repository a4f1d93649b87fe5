import { chunkRange, encodeOffset, parseChunkKey, startKey } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import { isIntact } from './read-chunks.ts'
import type { LevelDbStore, Write } from './store.ts'
import type { Retention, EmbeddedTopic } from './topics.ts'
import type { Writer } from './writer.ts'

const chunksPerWrite = 1_000
/** Chunks deleted before the bytes of the others are asked for again. */
const chunksPerSize = 50

/**
 * Deletes the chunks that were taken before `now - retentionMs`, and those that are more than `retentionBytes`, oldest first, in small
 * writes between the others, and gives their disk space back. A partition's end stays what it was.
 */
export async function expire(
  topics: readonly EmbeddedTopic[],
  now: number,
  store: LevelDbStore,
  writer: Writer,
): Promise<void> {
  for (const { retention, partitions } of topics) {
    for (const log of partitions) await expirePartition(log, retention, now, store, writer)
  }
}

async function expirePartition(
  log: PartitionLog,
  { retentionMs, retentionBytes }: Retention,
  now: number,
  store: LevelDbStore,
  writer: Writer,
): Promise<void> {
  const { topicId, partition, start: oldStart } = log
  if (retentionMs !== null) {
    await deleteWhile(log, writer, () => oldest(log, store, chunksPerWrite, now - retentionMs))
  }
  if (retentionBytes !== undefined) {
    const isLarge = async (): Promise<boolean> =>
      (await store.approximateBytes(chunkRange(topicId, partition, log.start))) > retentionBytes
    await deleteWhile(log, writer, async () => ((await isLarge()) ? oldest(log, store, chunksPerSize) : none))
  }
  if (log.start > oldStart) await store.compact(chunkRange(topicId, partition, 0, log.start))
}

/** Chunks to be deleted, and the offset that a partition starts at without them. */
interface Expired {
  readonly keys: readonly Buffer[]
  readonly next: number
}

const none: Expired = { keys: [], next: 0 }

async function deleteWhile(log: PartitionLog, writer: Writer, nextExpired: () => Promise<Expired>): Promise<void> {
  for (;;) {
    const { keys, next } = await nextExpired()
    if (keys.length === 0) return
    const start: Write = { key: startKey(log.topicId, log.partition), value: encodeOffset(next) }
    const writes = [start, ...keys.map(key => ({ key, value: null }))]
    // Before the deletion, so that no reader takes deleted records for lost ones.
    log.trimmed(next)
    // Nothing to undo: a deletion that was half reported is repeated.
    await writer.submit({ writes, sync: false })
  }
}

/** The oldest chunks, as many as `limit`, of those taken before an instant. */
async function oldest(log: PartitionLog, store: LevelDbStore, limit: number, beforeMs = Infinity): Promise<Expired> {
  const keys: Buffer[] = []
  let next = log.start
  for await (const [key, bytes] of store.entries(chunkRange(log.topicId, log.partition, 0, log.end))) {
    const { first, count, timestampMs } = parseChunkKey(key)
    if (timestampMs >= beforeMs || keys.length >= limit) break
    keys.push(key)
    if (isIntact(key, bytes)) next = first + count
  }
  return { keys, next }
}
