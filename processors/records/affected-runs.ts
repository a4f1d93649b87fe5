import { isDeepStrictEqual } from 'node:util'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { isCancelled } from './effective-runs.ts'
import { firstIndex } from './sorted-by-machine.ts'

/** Last state of a run that entries change. */
export interface ChangedRun {
  readonly run: JobRunRecord
  readonly isDeleted: boolean
}

/** Changes of entries, as far as standards of job runs (`job-standards.ts`) depend on it. */
export interface StandardsChanges {
  /** By ref. */
  readonly runs: ReadonlyMap<number, ChangedRun>
  /** By id of the company. */
  readonly companies: ReadonlyMap<string, ChangedOfCompany>
}

interface ChangedOfCompany {
  /** Refs of job operations whose standards changed. */
  readonly operations: Set<number>
  /** Ids of machines whose groups changed. */
  readonly machineIds: Set<string>
}

/** Returns, in cooperative steps, what the entries change. New job operations and machines have no earlier runs. */
export function* findStandardsChanges(entries: readonly RecordEntry[]): Steps<StandardsChanges> {
  const runs = new Map<number, ChangedRun>()
  const companies = new Map<string, ChangedOfCompany>()
  const ofCompany = (id: string) => getOrCreate(companies, id, () => ({ operations: new Set(), machineIds: new Set() }))
  for (const { changes } of entries)
    for (const { kind, before, after } of changes) {
      yield
      if (kind === 'jobRun') {
        const run = after ?? before
        if (run) runs.set(run.ref, { run, isDeleted: after === null })
      } else if (kind === 'jobOperation') {
        if (before && !haveSameStandards(before, after)) ofCompany(before.companyId).operations.add(before.ref)
      } else if (kind === 'machine' && before && after && !areInSameGroups(before, after))
        ofCompany(after.companyId).machineIds.add(after.id)
    }
  return { runs, companies }
}

/**
 * Returns the runs that may end at the start of a run: those with the same start, and the effective one before it.
 * `runs`: runs of the machine, by (startAt, startSequence).
 */
export function runsUntil({ ref, startAt }: JobRunRecord, runs: readonly JobRunRecord[]): readonly JobRunRecord[] {
  const first = firstIndex(runs, run => run.startAt < startAt)
  const next = firstIndex(runs, run => run.startAt <= startAt)
  let previous = first - 1
  while (previous > 0 && isCancelled(runs[previous])) previous--
  return runs.slice(Math.max(0, previous), next).filter(run => run.ref !== ref)
}

function haveSameStandards(before: JobOperationRecord, after: JobOperationRecord | null): boolean {
  return after !== null && isDeepStrictEqual(standardsOf(before), standardsOf(after))
}

/** Returns the fields on which the standards of runs depend. */
function standardsOf(operation: JobOperationRecord): object {
  const { expectedSetupTime, idealPartTime, expectedPartTime, partCountMultiplier, workCenters, thresholds } = operation
  return { expectedSetupTime, idealPartTime, expectedPartTime, partCountMultiplier, workCenters, thresholds }
}

function areInSameGroups(a: MachineRecord, b: MachineRecord): boolean {
  return (
    a.machineGroupIds.length === b.machineGroupIds.length &&
    a.machineGroupIds.every(id => b.machineGroupIds.includes(id))
  )
}
