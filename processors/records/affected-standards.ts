import type { JobRunStandards } from '../../schema/records/job-standards.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { jobStandardsOf } from './job-standards.ts'
import type { Records } from './records.ts'
import { findAffectedRuns } from './affected-runs.ts'
import { noCompany, noMachine } from '../../schema/refs.ts'
import { endMsOf, findEffectiveRun } from './effective-runs.ts'

/**
 * Returns the standards of the runs that the entries affect. `records` must contain the entries and not change
 * meanwhile; this yields to the event loop.
 */
export function findAffectedStandards(
  entries: readonly RecordEntry[],
  records: Records,
): Promise<readonly JobRunStandards[]> {
  return runCooperatively(standards(entries, records))
}

function* standards(entries: readonly RecordEntry[], records: Records): Steps<readonly JobRunStandards[]> {
  const found: JobRunStandards[] = []
  for (const run of yield* findAffectedRuns(entries, records)) {
    found.push(standardsOf(run, records))
    yield
  }
  return found
}

function standardsOf(run: JobRunRecord, records: Records): JobRunStandards {
  const { id, ref, companyId, machineId, jobOperationId, startAt, endAt } = run
  const machine = records.machine(machineId)
  const operation = records.get('jobOperation', companyId, jobOperationId)
  const untilMs = findEffectiveRun(run, records.runsOf(machineId))?.endMs ?? endMsOf(endAt)
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
    isDeleted: records.get('jobRun', companyId, id)?.ref !== ref,
    thresholds: operation?.thresholds ?? {},
  }
}
