import type { Change } from '../../schema/records/record-kinds.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { Steps } from '../../shared/async/steps.ts'
import type { Records } from './records.ts'
import { isCancelled } from './effective-runs.ts'
import { firstIndex } from './sorted-by-machine.ts'

/**
 * Returns, in cooperative steps, the runs whose operation, times or standards (`job-standards.ts`) the entries may have
 * changed, in their current state; deleted runs in their last state. `records` must contain the entries.
 */
export function* findAffectedRuns(entries: readonly RecordEntry[], records: Records): Steps<readonly JobRunRecord[]> {
  const runs = new Map<number, JobRunRecord>()
  const operations = new Map<string, Set<string>>()
  for (const change of changesOf(entries)) {
    yield
    for (const run of findDirectlyAffected(change, records)) runs.set(run.ref, run)
    if (change.kind !== 'jobOperation' || change.before === null) continue
    const { companyId } = change.before
    operations.set(companyId, (operations.get(companyId) ?? new Set()).add(change.id))
  }
  for (const [companyId, ids] of operations)
    for (const run of records.list('jobRun', companyId)) {
      if (ids.has(run.jobOperationId)) runs.set(run.ref, run)
      yield
    }
  return [...runs.values()]
}

function* changesOf(entries: readonly RecordEntry[]): Generator<Change, void> {
  for (const { changes } of entries) yield* changes
}

function findDirectlyAffected({ kind, before, after }: Change, records: Records): readonly JobRunRecord[] {
  if (kind === 'jobRun') {
    const run = after ?? before
    return run ? [run, ...runsUntil(run, records)] : []
  }
  if (kind === 'machine' && before && after && !areInSameGroups(before, after)) return records.runsOf(after.id)
  return []
}

/** Returns the runs that may end at the start of a run: those with the same start, and the effective one before it. */
function runsUntil({ ref, machineId, startAt }: JobRunRecord, records: Records): readonly JobRunRecord[] {
  const runs = records.runsOf(machineId)
  const first = firstIndex(runs, run => run.startAt < startAt)
  const next = firstIndex(runs, run => run.startAt <= startAt)
  let previous = first - 1
  while (previous > 0 && isCancelled(runs[previous])) previous--
  return runs.slice(Math.max(0, previous), next).filter(run => run.ref !== ref)
}

function areInSameGroups(a: MachineRecord, b: MachineRecord): boolean {
  return (
    a.machineGroupIds.length === b.machineGroupIds.length &&
    a.machineGroupIds.every(id => b.machineGroupIds.includes(id))
  )
}
