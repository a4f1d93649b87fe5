import { setImmediate } from 'node:timers/promises'
import type { Batch, Follower, Log } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { EntryReader } from './entry-codec.ts'
import type { Records } from './records.ts'

/**
 * Applies records.v1 (one partition) from its start and continues with new entries. Resolves when all entries that
 * exist at the call have been applied.
 */
export async function followRecords(log: Log, records: Records): Promise<Follower> {
  const reader = new EntryReader()
  const follower = await log.follow({
    topic: topics.records,
    from: 'earliest',
    onBatch: batch => applyBatch(records, reader, batch),
  })
  try {
    await follower.caughtUp
  } catch (error) {
    await follower.stop()
    throw error
  }
  return follower
}

async function applyBatch(records: Records, reader: EntryReader, batch: Batch): Promise<void> {
  for (const { value, offset } of batch.records) {
    const entry = reader.read(value)
    if (entry) await records.applyCooperatively(entry, offset)
    // An entry may have a hundred large chunks, so this yields to the event loop between them.
    else await setImmediate()
    records.projected.reach(reader.projectedOffset)
  }
}
