import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { RunsOf, StoredRun } from '../../schema/records/job-standards.ts'
import type { MachineInstant } from '../../schema/records/timed-records.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/**
 * Access to the job runs and operations in the store, for the projection of entries: the store contains all entries before them, and
 * may contain some of their changes. Reads reject with a `StoreError`.
 */
export interface StoredRuns {
  /** Reads the runs of job operations, and those of machines. A run may occur twice. */
  readonly readRunsOf: (
    company: { readonly id: string; readonly ref: CompanyRef },
    of: RunsOf,
  ) => Promise<readonly StoredRun[]>
  /**
   * Reads the runs of each machine that start at an instant, the last effective one before it and the first effective
   * one after it; possibly further runs.
   */
  readonly readRunsAround: (companyId: string, instants: readonly MachineInstant[]) => Promise<readonly JobRunRecord[]>
  /** Reads job operations by their ids and by their refs; one may occur twice. */
  readonly readOperations: (
    companyId: string,
    of: { readonly ids: readonly string[]; readonly refs: readonly number[] },
  ) => Promise<readonly JobOperationRecord[]>
}
