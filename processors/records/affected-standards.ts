import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { JobRunStandards, StoredRun } from '../../schema/records/job-standards.ts'
import type { MachineInstant } from '../../schema/records/timed-records.ts'
import { noCompany, noMachine } from '../../schema/refs.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { type ChangedRun, findStandardsChanges, runsUntil, type StandardsChanges } from './affected-runs.ts'
import { endMsOf, findEffectiveRun } from './effective-runs.ts'
import { jobStandardsOf } from './job-standards.ts'
import { compareRuns } from './machine-histories.ts'
import type { Records } from './records.ts'
import type { StoredRuns } from './stored-runs.ts'

/**
 * Returns the standards of the runs that the entries affect, in their current state; of deleted runs in their last
 * state. `records` must contain the entries and not change meanwhile; this yields to the event loop. Rejects with a
 * `StoreError`.
 */
export async function findAffectedStandards(
  entries: readonly RecordEntry[],
  records: Records,
  stored: StoredRuns,
): Promise<readonly JobRunStandards[]> {
  const changes = await runCooperatively(findStandardsChanges(entries))
  const found = new Map<number, JobRunStandards>()
  const slice = new TimeSlice()
  for (const run of await readRunsOfChanged(changes, records, stored)) {
    found.set(run.run, storedStandards(run, records))
    if (slice.isOver) await slice.next()
  }
  // Later, because the store has the state of these runs before the entries.
  const machines = await machinesOfRuns(changes, records, stored)
  for (const standards of await runCooperatively(changedStandards(machines, records)))
    found.set(standards.run, standards)
  return [...found.values()]
}

/** Reads the runs of the job operations and machines that have changed. */
async function readRunsOfChanged(
  { companies }: StandardsChanges,
  records: Records,
  stored: StoredRuns,
): Promise<readonly StoredRun[]> {
  const found: StoredRun[] = []
  for (const [id, { operations, machineIds }] of companies) {
    const company = records.company(id)
    if (!company) continue
    const of = { operations: [...operations], machineIds: [...machineIds] }
    for (const run of await stored.readRunsOf(company, of)) found.push(run)
  }
  return found
}

function storedStandards(run: StoredRun, records: Records): JobRunStandards {
  const machine = records.machineByRef(run.machineRef)
  const companyId = records.companyByRef(run.companyRef)?.id ?? ''
  const operation = records.jobOperations(companyId).byRef(run.operation)
  return {
    ...run,
    ...jobStandardsOf(machine, operation),
    operation: operation?.ref ?? 0,
    isDeleted: false,
    thresholds: operation?.thresholds ?? {},
  }
}

/** A machine with changed runs. */
interface MachineOfRuns {
  readonly changed: readonly ChangedRun[]
  /**
   * Current runs of the machine, by (startAt, startSequence): at least those that start with a changed run, and the
   * effective ones before and after it.
   */
  readonly runs: readonly JobRunRecord[]
}

/** Returns the machines of the changed runs, with runs from the store if they are not in memory. */
async function machinesOfRuns(
  { runs }: StandardsChanges,
  records: Records,
  stored: StoredRuns,
): Promise<readonly MachineOfRuns[]> {
  const changedRuns = [...runs.values()]
  const old = changedRuns.filter(({ run }) => isBeforeMemory(run, records))
  const isOld = new Set(old.map(({ run }) => run.machineId))
  const read: JobRunRecord[] = []
  for (const [companyId, ofCompany] of groupBy(old, ({ run }) => run.companyId)) {
    const instants = ofCompany.map(({ run }): MachineInstant => ({
      machineId: run.machineId,
      atMs: Date.parse(run.startAt),
    }))
    for (const run of await stored.readRunsAround(companyId, instants)) read.push(run)
  }
  const storedRuns = groupBy(read, ({ machineId }) => machineId)
  return Array.from(
    groupBy(changedRuns, ({ run }) => run.machineId),
    ([machineId, changed]) => {
      const inMemory = records.runsOf(machineId)
      if (!isOld.has(machineId)) return { changed, runs: inMemory }
      return { changed, runs: joinRuns(storedRuns.get(machineId) ?? [], inMemory, changed) }
    },
  )
}

function isBeforeMemory({ machineId, startAt }: JobRunRecord, records: Records): boolean {
  const machine = records.machine(machineId)
  // A run that starts just then may end the run that was in force.
  return machine !== null && Date.parse(startAt) <= records.runsInMemoryFromMs(machine.id)
}

/** Joins the runs of a machine: changed ones and those in memory are newer than stored ones. */
function joinRuns(
  stored: readonly JobRunRecord[],
  inMemory: readonly JobRunRecord[],
  changed: readonly ChangedRun[],
): readonly JobRunRecord[] {
  const runs = new Map([...stored, ...inMemory].map(run => [run.ref, run]))
  for (const { run, isDeleted } of changed)
    if (isDeleted) runs.delete(run.ref)
    else runs.set(run.ref, run)
  return [...runs.values()].sort(compareRuns)
}

/** Returns the standards of changed runs, and of the runs that may end with their start. */
function* changedStandards(machines: readonly MachineOfRuns[], records: Records): Steps<readonly JobRunStandards[]> {
  const found: JobRunStandards[] = []
  for (const { changed, runs } of machines) {
    for (const { run } of changed)
      for (const other of runsUntil(run, runs)) {
        found.push(standardsOf(other, runs, records, false))
        yield
      }
    for (const { run, isDeleted } of changed) {
      found.push(standardsOf(run, runs, records, isDeleted))
      yield
    }
  }
  return found
}

function standardsOf(
  run: JobRunRecord,
  runs: readonly JobRunRecord[],
  records: Records,
  isDeleted: boolean,
): JobRunStandards {
  const { id, ref, companyId, machineId, jobOperationId, startAt, endAt } = run
  const machine = records.machine(machineId)
  const operation: JobOperationRecord | null = records.get('jobOperation', companyId, jobOperationId)
  const untilMs = findEffectiveRun(run, runs)?.endMs ?? endMsOf(endAt)
  return {
    ...jobStandardsOf(machine, operation),
    companyRef: records.company(companyId)?.ref ?? noCompany,
    run: ref,
    id,
    machineRef: machine?.ref ?? noMachine,
    operation: operation?.ref ?? 0,
    startMs: Date.parse(startAt),
    endMs: endAt === null ? null : Date.parse(endAt),
    untilMs: untilMs === Infinity ? null : untilMs,
    isDeleted,
    thresholds: operation?.thresholds ?? {},
  }
}
