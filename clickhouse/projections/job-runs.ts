import type { JobRunStandards } from '../../schema/records/job-standards.ts'
import type { Store } from '../client/store.ts'
import { jobRuns } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { openEnd } from '../tables/values.ts'

/** Writes the table `job_runs`, from which reports read the names and standards of each run. */
export interface JobRunsWriter {
  /**
   * Writes the standards of runs. Idempotent: a row replaces one of the same run with a lower version. Rejects with a
   * `StoreError`.
   */
  write(runs: readonly JobRunStandards[], version: number): Promise<void>
}

/** Timeout of an insert, ms; the caller retries it. */
const timeoutMs = 10_000

/** Maximum number of rows per insert: a string of Node has at most about 500 million characters. */
const maxRowsPerInsert = 1_000_000

interface VersionedRun {
  readonly run: JobRunStandards
  readonly version: number
}

const writer: RowWriter<VersionedRun> = rowWriter(jobRuns, {
  company: ({ run }) => run.companyRef,
  run: ({ run }) => run.run,
  machine: ({ run }) => run.machineRef,
  operation: ({ run }) => run.operation,
  id: ({ run }) => run.id,
  start_ms: ({ run }) => run.startMs,
  end_ms: ({ run }) => openEnd.stored(run.endMs),
  until_ms: ({ run }) => openEnd.stored(run.untilMs),
  multiplier: ({ run }) => run.multiplier,
  ideal_part_ms: ({ run }) => run.idealPartMs,
  expected_part_ms: ({ run }) => run.expectedPartMs,
  expected_setup_ms: ({ run }) => run.expectedSetupMs,
  oee_warning: ({ run }) => run.thresholds.oeeWarning ?? null,
  oee_failure: ({ run }) => run.thresholds.oeeFailure ?? null,
  parts_goal_warning: ({ run }) => run.thresholds.partsGoalWarning ?? null,
  parts_goal_failure: ({ run }) => run.thresholds.partsGoalFailure ?? null,
  utilization_warning: ({ run }) => run.thresholds.utilizationWarning ?? null,
  utilization_failure: ({ run }) => run.thresholds.utilizationFailure ?? null,
  version: ({ version }) => version,
  deleted: ({ run }) => Number(run.isDeleted),
})

export function createJobRunsWriter(store: Store): JobRunsWriter {
  return {
    async write(runs, version) {
      // One insert, if a string can hold it, so that reports see all of a change or nothing of it.
      for (let first = 0; first < runs.length; first += maxRowsPerInsert) {
        const some = runs.slice(first, first + maxRowsPerInsert).map(run => ({ run, version }))
        await insertRows(store, writer, some, {
          signal: AbortSignal.timeout(timeoutMs + some.length),
          workload: 'records',
        })
      }
    },
  }
}
