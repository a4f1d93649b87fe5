import type { PartitionRecordsOffset, ProgressStore } from '../../schema/document-store.ts'
import { batchCalls } from '../../shared/async/batch-calls.ts'
import { narrow, wide } from '../client/kinds.ts'
import { firstRow, ofPipeline, rows } from '../client/rows.ts'
import type { Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { dayCoverage, hours, processProgress, repeatedHours } from '../tables/documents.ts'
import { fromAll, fromShared } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

const highestFence = 'the highest fence is that of all companies'
/** Stores the progress of the processors. Rejects with `StoreError`. */
export function createProgressStore(store: Store): ProgressStore {
  // Partitions are taken over at the same time.
  const offsets = batchCalls<number, ReadonlyMap<number, number>>(() => readRecordsOffsets(store))
  const fence = batchCalls<null, number>(() => readHighestFence(store))
  return {
    readRecordsOffset: async partition => (await offsets(partition)).get(partition) ?? null,
    readRecordsOffsets: () => readRecordsOffsets(store),

    writeRecordsOffsets: offsets => insertRows(store, progressWriter, offsets),
    readHighestFence: () => fence(null),
  }
}

async function readRecordsOffsets(store: Store): Promise<ReadonlyMap<number, number>> {
  const query = sql`SELECT partition, records_offset ${fromShared(processProgress, { final: true })}`
  const found = await rows(store, query, { partition: narrow, records_offset: wide }, ofPipeline)
  return new Map(found.map(({ partition, records_offset: offset }) => [partition, offset]))
}

async function readHighestFence(store: Store): Promise<number> {
  const query = sql`
    SELECT toUInt32(bitShiftRight(max(version), 40)) AS fence FROM (
      SELECT max(version) AS version ${fromAll(hours, highestFence)}
      UNION ALL SELECT max(version) AS version ${fromAll(repeatedHours, highestFence)}
      UNION ALL SELECT max(version) AS version ${fromShared(processProgress)}
      UNION ALL SELECT max(version) AS version ${fromAll(dayCoverage, highestFence)})`
  return (await firstRow(store, query, { fence: narrow }, ofPipeline))?.fence ?? 0
}

const progressWriter: RowWriter<PartitionRecordsOffset> = rowWriter(processProgress, {
  partition: ({ partition }) => partition,
  records_offset: ({ recordsOffset }) => recordsOffset,
  version: ({ version }) => String(version),
})
