import type { Log } from '../../log/log.ts'
import type { StoredRecords } from '../../schema/commands/stored-records.ts'
import type { ProgressStore } from '../../schema/document-store.ts'
import { topics } from '../../schema/topics.ts'

export interface RecordsRetentionDeps {
  readonly log: Log
  readonly stored: Pick<StoredRecords, 'readPosition'>
  readonly progress: Pick<ProgressStore, 'readRecordsOffsets'>
}

/**
 * Deletes entries of records.v1 that were appended before a time (UTC ms), if no start needs them: those before the
 * position of the store, before the outcomes that a registrar reads, and before the changes that the documents of any
 * partition lack. A partition without documents needs all entries. Rejects with a `StoreError` or `LogUnavailable`.
 */
export async function deleteOldRecords(
  { log, stored, progress }: RecordsRetentionDeps,
  beforeMs: number,
): Promise<void> {
  const position = await stored.readPosition()
  const ofPartitions = await progress.readRecordsOffsets()
  if (!position || ofPartitions.size < (await log.partitionCount(topics.stateSamples))) return
  const offset = Math.min(position.offset, position.outcomesFrom, ...ofPartitions.values())
  if (offset > 0) await log.deleteRecords(topics.records, { partition: 0, offset, beforeMs })
}
