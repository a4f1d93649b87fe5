import type { Batch, Follower, Log } from '../../schema/log.ts'
import type { RecordEntry } from '../../schema/records.ts'
import { topics } from '../../schema/topics.ts'
import type { Records } from './records.ts'

/** Follows records.v1 (one partition) from its start; resolves when everything that is there now has been applied. */
export async function followRecords(log: Log, records: Records): Promise<Follower> {
  const follower = await log.follow({
    topic: topics.records,
    from: 'earliest',
    onBatch: batch => applyBatch(records, batch),
  })
  try {
    await follower.caughtUp
  } catch (error) {
    await follower.stop()
    throw error
  }
  return follower
}

function applyBatch(records: Records, batch: Batch): void {
  for (const { value, offset } of batch.records) records.apply(parseEntry(value), offset)
}

/** A record of records.v1, which only the registrar writes. */
export function parseEntry(value: Buffer): RecordEntry {
  const entry: RecordEntry = JSON.parse(value.toString('utf8'))
  return entry
}
