import type { JobRunStandards } from '../../schema/records/job-standards.ts'
import type { Store } from '../client/store.ts'
import { jobRuns } from '../tables/records.ts'
import { insertRows, type RowWriter, rowWriter } from '../tables/row-writer.ts'
import { openEnd } from '../tables/values.ts'

/** Writes the table `job_runs`: the standards of each run, which reports look up. */
export interface JobRunsWriter {
  /** Idempotent: a row replaces that of the same run with a lower version. Rejects with a `StoreError`. */
  write(runs: readonly JobRunStandards[], version: number): Promise<void>
}

/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

/** Bound of one insert: Node's texts have at most half a billion characters. */
const mostRows = 1_000_000

interface VersionedRun {
  readonly run: JobRunStandards
  readonly version: number
}

const writer: RowWriter<VersionedRun> = rowWriter(jobRuns, {
  company: ({ run }) => run.companyRef,
  run: ({ run }) => run.run,
  machine: ({ run }) => run.machineRef,
  operation: ({ run }) => run.operation,
  start_ms: ({ run }) => run.startMs,
  end_ms: ({ run }) => openEnd.stored(run.endMs),
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
})

export function createJobRunsWriter(store: Store): JobRunsWriter {
  return {
    async write(runs, version) {
      // One insert, if a text can hold it: reports see all of a change or nothing of it.
      for (let first = 0; first < runs.length; first += mostRows) {
        const some = runs.slice(first, first + mostRows).map(run => ({ run, version }))
        await insertRows(store, writer, some, {
          signal: AbortSignal.timeout(withinMs + some.length),
          workload: 'records',
        })
      }
    },
  }
}
