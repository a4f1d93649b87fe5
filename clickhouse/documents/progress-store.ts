import type { PartitionRecordsOffset, ProgressStore } from '../../schema/document-store.ts'
import { narrow, wide } from '../client/kinds.ts'
import { firstRow, rows } from '../client/rows.ts'
import type { QueryOptions, Store } from '../client/store.ts'
import { sql, uint32 } from '../sql/sql.ts'
import { dayCoverage, hours, processProgress } from '../tables/documents.ts'
import { fromAll, fromShared } from '../tables/from.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'

const highestFence = 'the highest fence is that of all companies'
const process: QueryOptions = { workload: 'process' }

/** The part of the processor's port that is about how far the processors are. Rejects with `StoreError`. */
export function createProgressStore(store: Store): ProgressStore {
  return {
    async readRecordsOffset(partition) {
      const reading = { final: true, where: [sql`partition = ${uint32(partition)}`] }
      const query = sql`SELECT records_offset ${fromShared(processProgress, reading)}`
      return (await firstRow(store, query, { records_offset: wide }, process))?.records_offset ?? null
    },

    async readRecordsOffsets() {
      const query = sql`SELECT partition, records_offset ${fromShared(processProgress, { final: true })}`
      const found = await rows(store, query, { partition: narrow, records_offset: wide }, process)
      return new Map(found.map(({ partition, records_offset: offset }) => [partition, offset]))
    },

    async writeRecordsOffsets(offsets) {
      await insertRows(store, progressWriter, offsets)
    },

    async readHighestFence() {
      const highest = await firstRow(
        store,
        sql`
        SELECT toUInt32(bitShiftRight(max(version), 40)) AS fence FROM (
          SELECT max(version) AS version ${fromAll(hours, highestFence)}
          UNION ALL SELECT max(version) AS version ${fromShared(processProgress)}
          UNION ALL SELECT max(version) AS version ${fromAll(dayCoverage, highestFence)}
        )`,
        { fence: narrow },
        process,
      )
      return highest?.fence ?? 0
    },
  }
}

const progressWriter: RowWriter<PartitionRecordsOffset> = rowWriter(processProgress, {
  partition: ({ partition }) => partition,
  records_offset: ({ recordsOffset }) => recordsOffset,
  version: ({ version }) => String(version),
})
