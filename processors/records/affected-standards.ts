import type { RecordEntry } from '../../schema/commands/command-log.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { JobRunStandards, StoredRun } from '../../schema/records/job-standards.ts'
import type { MachineInstant } from '../../schema/records/timed-records.ts'
import { noCompany, noMachine } from '../../schema/refs.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { type ChangedRun, findStandardsChanges, runsUntil, type StandardsChanges } from './affected-runs.ts'
import { endMsOf, findEffectiveRun } from './effective-runs.ts'
import { jobStandardsOf } from './job-standards.ts'
import { compareRuns } from './machine-histories.ts'
import { findOperations, type FoundOperations, type WantedOperations } from './operations-of-runs.ts'
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
  const storedRuns = await readRunsOfChanged(changes, records, stored)
  const changedRuns = await runCooperatively(affectedRuns(await machinesOfRuns(changes, records, stored)))
  const wanted = wantedOperations(storedRuns, changedRuns, records)
  const operations = await findOperations(wanted, entries, records, stored)
  const found = new Map<number, JobRunStandards>()
  const slice = new TimeSlice()
  for (const run of storedRuns) {
    found.set(run.run, storedStandards(run, records, operations))
    if (slice.isOver) await slice.next()
  }
  // Later, because the store has the state of these runs before the entries.
  for (const affected of changedRuns) {
    found.set(affected.run.ref, standardsOf(affected, records, operations))
    if (slice.isOver) await slice.next()
  }
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

function wantedOperations(
  storedRuns: readonly StoredRun[],
  changedRuns: readonly AffectedRun[],
  records: Records,
): ReadonlyMap<string, WantedOperations> {
  const wanted = new Map<string, WantedOperations>()
  if (records.hasAllOperations) return wanted
  const ofCompany = (id: string) => getOrCreate(wanted, id, () => ({ ids: new Set(), refs: new Set() }))
  for (const { companyRef, operation } of storedRuns)
    ofCompany(records.companyByRef(companyRef)?.id ?? '').refs.add(operation)
  for (const { run } of changedRuns) ofCompany(run.companyId).ids.add(run.jobOperationId)
  return wanted
}

function storedStandards(run: StoredRun, records: Records, operations: FoundOperations): JobRunStandards {
  const machine = records.machineByRef(run.machineRef)
  const companyId = records.companyByRef(run.companyRef)?.id ?? ''
  const operation = operations.byRef(companyId, run.operation)
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

interface AffectedRun extends ChangedRun {
  /** Runs of its machine: see `MachineOfRuns`. */
  readonly runs: readonly JobRunRecord[]
}

/** Returns the changed runs, and before them the runs that may end with their start. */
function* affectedRuns(machines: readonly MachineOfRuns[]): Steps<readonly AffectedRun[]> {
  const found: AffectedRun[] = []
  for (const { changed, runs } of machines) {
    for (const { run } of changed)
      for (const other of runsUntil(run, runs)) {
        found.push({ run: other, runs, isDeleted: false })
        yield
      }
    for (const { run, isDeleted } of changed) {
      found.push({ run, runs, isDeleted })
      yield
    }
  }
  return found
}

function standardsOf(
  { run, runs, isDeleted }: AffectedRun,
  records: Records,
  operations: FoundOperations,
): JobRunStandards {
  const { id, ref, companyId, machineId, jobOperationId, startAt, endAt } = run
  const machine = records.machine(machineId)
  const operation = operations.byId(companyId, jobOperationId)
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
