import { setImmediate } from 'node:timers/promises'
import type { Batch, Follower, Log } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { EntryReader } from './entry-codec.ts'
import type { Records } from './records.ts'

/** Follows records.v1 (one partition) from its start; resolves when everything that is there now has been applied. */
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
    if (entry) await records.applyInTurns(entry, offset)
    // Chunks are large, and there may be a hundred of them: yields to the event loop between them.
    else await setImmediate()
  }
}
