import type { DeletedRange } from '../log.ts'
import { chunkRange, encodeOffset, parseChunkKey, startKey } from './keys.ts'
import type { PartitionLog } from './partition.ts'
import { isIntact } from './read-chunks.ts'
import type { LevelDbStore, Write } from './store.ts'
import type { Retention, EmbeddedTopic } from './topics.ts'
import type { Writer } from './writer.ts'

const chunksPerWrite = 1_000
/** Number of deleted chunks after which the size is measured again. */
const chunksPerSize = 50

/**
 * Deletes chunks that were appended before `now - retentionMs` and those beyond `retentionBytes`, oldest first, in
 * small writes, and frees their disk space. The end of a partition does not change.
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
    await deleteWhile(log, writer, () => oldest(log, store, chunksPerWrite, { beforeMs: now - retentionMs }))
  }
  if (retentionBytes !== undefined) {
    const isLarge = async (): Promise<boolean> =>
      (await store.approximateBytes(chunkRange(topicId, partition, log.start))) > retentionBytes
    await deleteWhile(log, writer, async () => ((await isLarge()) ? oldest(log, store, chunksPerSize) : none))
  }
  if (log.start > oldStart) await store.compact(chunkRange(topicId, partition, 0, log.start))
}

/** Deletes the chunks of a partition whose records are all within a range, and frees their disk space. */
export async function deleteBefore(
  log: PartitionLog,
  { offset, beforeMs }: Pick<DeletedRange, 'offset' | 'beforeMs'>,
  store: LevelDbStore,
  writer: Writer,
): Promise<void> {
  const { topicId, partition, start: oldStart } = log
  await deleteWhile(log, writer, () => oldest(log, store, chunksPerWrite, { offset, beforeMs }))
  if (log.start > oldStart) await store.compact(chunkRange(topicId, partition, 0, log.start))
}

/** Chunks to delete, and the start of the partition without them. */
export interface Expired {
  readonly keys: readonly Buffer[]
  readonly next: number
}

const none: Expired = { keys: [], next: 0 }

async function deleteWhile(log: PartitionLog, writer: Writer, nextExpired: () => Promise<Expired>): Promise<void> {
  for (;;) {
    const expired = await nextExpired()
    if (expired.keys.length === 0) return
    await deleteChunks(log, writer, expired)
  }
}

/** Moves the start of a partition and deletes the chunks before it. */
export async function deleteChunks(log: PartitionLog, writer: Writer, { keys, next }: Expired): Promise<void> {
  const start: Write = { key: startKey(log.topicId, log.partition), value: encodeOffset(next) }
  const writes = [start, ...keys.map(key => ({ key, value: null }))]
  // Before the deletion, so that readers do not report deleted records as lost.
  log.trimmed(next)
  // Needs no undo: the next round repeats an incomplete deletion.
  await writer.submit({ writes, sync: false })
}

/** Finds the oldest chunks whose records are all within a range, at most `limit`. */
async function oldest(
  log: PartitionLog,
  store: LevelDbStore,
  limit: number,
  { offset = Infinity, beforeMs = Infinity }: Partial<DeletedRange> = {},
): Promise<Expired> {
  const keys: Buffer[] = []
  let next = log.start
  for await (const [key, bytes] of store.entries(chunkRange(log.topicId, log.partition, 0, log.end))) {
    const { first, count, timestampMs } = parseChunkKey(key)
    if (timestampMs >= beforeMs || first + count > offset || keys.length >= limit) break
    keys.push(key)
    if (isIntact(key, bytes)) next = first + count
  }
  return { keys, next }
}
