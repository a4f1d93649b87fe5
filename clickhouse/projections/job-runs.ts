import type { JobRunStandards } from '../../schema/job-standards.ts'
import type { Store } from '../client/store.ts'

/** Writes the table `job_runs`: the standards of each run, which reports look up. */
export interface JobRunsWriter {
  /** Idempotent: a row replaces that of the same run with a lower version. Rejects with a `StoreError`. */
  write(runs: readonly JobRunStandards[], version: number): Promise<void>
}

/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

/** Of one insert: Node's texts have at most half a billion characters. */
const mostRows = 1_000_000

/** Of job_runs, but for the version that every row has. */
const columns: Readonly<Record<string, (run: JobRunStandards) => unknown>> = {
  company: ({ company }) => company,
  run: ({ run }) => run,
  machine: ({ machine }) => machine,
  operation: ({ operation }) => operation,
  start_ms: ({ startMs }) => startMs,
  end_ms: ({ endMs }) => endMs ?? Number.MAX_SAFE_INTEGER,
  multiplier: ({ multiplier }) => multiplier,
  ideal_part_ms: ({ idealPartMs }) => idealPartMs,
  expected_part_ms: ({ expectedPartMs }) => expectedPartMs,
  expected_setup_ms: ({ expectedSetupMs }) => expectedSetupMs,
  oee_warning: ({ thresholds }) => thresholds.oeeWarning ?? null,
  oee_failure: ({ thresholds }) => thresholds.oeeFailure ?? null,
  parts_goal_warning: ({ thresholds }) => thresholds.partsGoalWarning ?? null,
  parts_goal_failure: ({ thresholds }) => thresholds.partsGoalFailure ?? null,
  utilization_warning: ({ thresholds }) => thresholds.utilizationWarning ?? null,
  utilization_failure: ({ thresholds }) => thresholds.utilizationFailure ?? null,
}

export function createJobRunsWriter(store: Store): JobRunsWriter {
  const names = [...Object.keys(columns), 'ver']
  return {
    async write(runs, version) {
      // One insert, if a text can hold it: reports see all of a change or nothing of it.
      for (let first = 0; first < runs.length; first += mostRows) {
        const lines = runs.slice(first, first + mostRows).map(run => line(run, version))
        const signal = AbortSignal.timeout(withinMs + lines.length)
        await store.insert('job_runs', names, lines.join('\n'), { signal })
      }
    },
  }
}

function line(run: JobRunStandards, version: number): string {
  return JSON.stringify([...Object.values(columns).map(column => column(run)), version])
}
