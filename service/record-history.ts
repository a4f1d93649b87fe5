import { ofPipeline } from '../clickhouse/client/rows.ts'
import type { Store } from '../clickhouse/client/store.ts'
import { readMachineRecords, readNextRun } from '../clickhouse/projections/machine-records.ts'
import { readStarts } from '../clickhouse/projections/record-starts.ts'
import type { RecordHistory } from '../processors/records/record-history.ts'

/** Returns the reads of records that are not in memory. */
export function recordHistory(store: Store): Omit<RecordHistory, 'inMemoryFromMs'> {
  return {
    readRecords: (companyId, spans, maxSignInMs) =>
      readMachineRecords(store, companyId, spans, maxSignInMs, ofPipeline),
    async readNextRunStart(companyId, machineId, afterMs) {
      const next = await readNextRun(store, companyId, machineId, afterMs, ofPipeline)
      return next ? Date.parse(next.startAt) : null
    },
    readStarts: (companyId, filter) => readStarts(store, companyId, filter, ofPipeline),
  }
}
