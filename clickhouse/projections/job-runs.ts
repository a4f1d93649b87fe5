import type { Records } from '../../processors/records/records.ts'
import { touchedRuns } from '../../processors/records/touched-runs.ts'
import { worthOf } from '../../processors/records/worth.ts'
import type { JobRunRecord, RecordEntry, Thresholds } from '../../schema/records.ts'
import type { Store } from '../client/store.ts'

/** The table `job_runs`: what each run is worth, for reports to join; written by the registrar alone. */
export interface JobRunsProjection {
  /**
   * Writes the runs that the entries touch, as `records`, which hold the entries, have them now. Idempotent: rows are versioned by
   * `commandOffset`. Rejects with a `StoreError`.
   */
  project(entries: readonly RecordEntry[], records: Records): Promise<void>
}

/** An insert that is not answered by then is sent again. */
const withinMs = 10_000

/** Of one insert: Node's texts have at most half a billion characters. */
const mostRows = 1_000_000

/** Of job_runs, but for the company and the version that every row has. */
const columns: Readonly<Record<string, (run: JobRunRecord, resolved: Resolved) => unknown>> = {
  run: ({ ref }) => ref,
  machine: (_, { machine }) => machine?.ref ?? 0,
  operation: (_, { operation }) => operation?.ref ?? 0,
  start_ms: ({ startAt }) => Date.parse(startAt),
  end_ms: ({ endAt }) => (endAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(endAt)),
  multiplier: (_, { worth }) => worth.multiplier,
  ideal_part_ms: (_, { worth }) => worth.idealPartMs,
  expected_part_ms: (_, { worth }) => worth.expectedPartMs,
  expected_setup_ms: (_, { worth }) => worth.expectedSetupMs,
  oee_warning: threshold('oeeWarning'),
  oee_failure: threshold('oeeFailure'),
  parts_goal_warning: threshold('partsGoalWarning'),
  parts_goal_failure: threshold('partsGoalFailure'),
  utilization_warning: threshold('utilizationWarning'),
  utilization_failure: threshold('utilizationFailure'),
}

type Resolved = ReturnType<typeof resolve>

export function createJobRunsProjection(store: Store): JobRunsProjection {
  return {
    async project(entries, records) {
      const version = entries.reduce((last, { commandOffset }) => Math.max(last, commandOffset), 0)
      const touched = touchedRuns(entries, records)
      const names = ['company', ...Object.keys(columns), 'ver']
      // One insert, if a text can hold it: reports see all of a change or nothing of it.
      for (let first = 0; first < touched.length; first += mostRows) {
        const lines = touched.slice(first, first + mostRows).map(run => line(run, records, version))
        const signal = AbortSignal.timeout(withinMs + lines.length)
        await store.insert('job_runs', names, lines.join('\n'), { signal })
      }
    },
  }
}

function line(run: JobRunRecord, records: Records, version: number): string {
  const resolved = resolve(run, records)
  const company = records.company(run.companyId)?.ref ?? 0
  return JSON.stringify([company, ...Object.values(columns).map(column => column(run, resolved)), version])
}

function resolve(run: JobRunRecord, records: Records) {
  const machine = records.machine(run.machineId)
  const operation = records.get('jobOperation', run.companyId, run.jobOperationId)
  return { machine, operation, worth: worthOf(machine, operation) }
}

/** The operation's own; null: the machine's or the company's holds, which the reports know. */
function threshold(name: keyof Thresholds) {
  return (_: JobRunRecord, { operation }: Resolved) => operation?.thresholds[name] ?? null
}
