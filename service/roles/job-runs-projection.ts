import type { Store } from '../../clickhouse/client/store.ts'
import { createJobRunsWriter } from '../../clickhouse/projections/job-runs.ts'
import type { Records } from '../../processors/records/records.ts'
import { findAffectedStandards } from '../../processors/records/affected-standards.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** The projection of job runs in the table `job_runs`, which only the registrar writes. */
export interface JobRunsProjection {
  /**
   * Writes the current state of the runs that the entries change; `records` must contain the entries. Idempotent,
   * because rows are versioned by `commandOffset`. Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: Records): Promise<void>
}

export function createJobRunsProjection(store: Store): JobRunsProjection {
  const writer = createJobRunsWriter(store)
  return {
    async project(entries, records) {
      const version = entries.reduce((last, { commandOffset }) => Math.max(last, commandOffset), 0)
      await writer.write(await findAffectedStandards(entries, records), version)
    },
  }
}
