import { ofPipeline } from '../../clickhouse/client/rows.ts'
import type { Store, StoreReads } from '../../clickhouse/client/store.ts'
import { createJobRunsWriter } from '../../clickhouse/projections/job-runs.ts'
import { readRunsAround } from '../../clickhouse/projections/machine-records.ts'
import { readRunsOf } from '../../clickhouse/projections/stored-runs.ts'
import { findAffectedStandards } from '../../processors/records/affected-standards.ts'
import type { Records } from '../../processors/records/records.ts'
import { readOperationsByRefs } from '../../clickhouse/projections/job-operations.ts'
import { readRecordsById } from '../../clickhouse/projections/records-by-id.ts'
import type { OperationsById } from '../../processors/registrar/options.ts'
import type { StoredRuns } from '../../processors/records/stored-runs.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** The projection of job runs in the table `job_runs`, which only the registrar writes. */
export interface JobRunsProjection {
  /**
   * Writes the current state of the runs that the entries change; `records` must contain the entries. Idempotent,
   * because rows are versioned by `commandOffset`. `operations`: job operations by id; null: they are read from the store.
   * Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: Records, operations: OperationsById | null): Promise<void>
}

/**
 * Creates the projection. `readable`: the store for reads, which contain all rows that were written before.
 */
export function createJobRunsProjection(store: Store, readable: StoreReads = store): JobRunsProjection {
  const writer = createJobRunsWriter(store)
  const readById: OperationsById = (companyId, ids) =>
    readRecordsById(readable, 'jobOperation', companyId, ids, ofPipeline)
  const stored = (operations: OperationsById): StoredRuns => ({
    readRunsOf: (company, of) => readRunsOf(readable, company, of, ofPipeline),
    readOperations: async (companyId, { ids, refs }) => [
      ...(await readOperationsByRefs(readable, companyId, refs, ofPipeline)),
      ...(ids.length > 0 ? await operations(companyId, ids) : []),
    ],
    readRunsAround: (companyId, instants) => readRunsAround(readable, companyId, instants, ofPipeline),
  })
  return {
    async project(entries, records, operations) {
      const version = entries.reduce((last, { commandOffset }) => Math.max(last, commandOffset), 0)
      await writer.write(await findAffectedStandards(entries, records, stored(operations ?? readById)), version)
    },
  }
}
