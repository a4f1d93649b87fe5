import type { PartitionRecordsOffset, ProgressStore } from '../../schema/document-store.ts'
import { batchCalls } from '../../shared/async/batch-calls.ts'
import { narrow, wide } from '../client/kinds.ts'
import { firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { sql } from '../sql/sql.ts'
import { dayCoverage, hours, processProgress, repeatedHours } from '../tables/documents.ts'
import { fromAll, fromShared } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

const highestFence = 'the highest fence is that of all companies'
const process: QueryOptions = { workload: 'process' }

/** The part of the processor's port that is about how far the processors are. Rejects with `StoreError`. */
export function createProgressStore(store: Store): ProgressStore {
  // Partitions are taken over at the same time.
  const offsets = batchCalls<number, ReadonlyMap<number, number>>(() => readRecordsOffsets(store))
  const fence = batchCalls<null, number>(() => readHighestFence(store))
  return {
    readRecordsOffset: async partition => (await offsets(partition)).get(partition) ?? null,
    readRecordsOffsets: () => readRecordsOffsets(store),

    async writeRecordsOffsets(offsets) {
      await insertRows(store, progressWriter, offsets)
    },

    readHighestFence: () => fence(null),
  }
}

async function readRecordsOffsets(store: Store): Promise<ReadonlyMap<number, number>> {
  const query = sql`SELECT partition, records_offset ${fromShared(processProgress, { final: true })}`
  const found = await rows(store, query, { partition: narrow, records_offset: wide }, process)
  return new Map(found.map(({ partition, records_offset: offset }) => [partition, offset]))
}

async function readHighestFence(store: Store): Promise<number> {
  const highest = await firstRow(
    store,
    sql`
      SELECT toUInt32(bitShiftRight(max(version), 40)) AS fence FROM (
        SELECT max(version) AS version ${fromAll(hours, highestFence)}
        UNION ALL SELECT max(version) AS version ${fromAll(repeatedHours, highestFence)}
        UNION ALL SELECT max(version) AS version ${fromShared(processProgress)}
        UNION ALL SELECT max(version) AS version ${fromAll(dayCoverage, highestFence)}
      )`,
    { fence: narrow },
    process,
  )
  return highest?.fence ?? 0
}

const progressWriter: RowWriter<PartitionRecordsOffset> = rowWriter(processProgress, {
  partition: ({ partition }) => partition,
  records_offset: ({ recordsOffset }) => recordsOffset,
  version: ({ version }) => String(version),
})
