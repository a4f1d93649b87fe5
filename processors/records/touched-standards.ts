import type { JobRunStandards } from '../../schema/job-standards.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { RecordEntry } from '../../schema/command-log.ts'
import { jobStandardsOf } from './job-standards.ts'
import type { Records } from './records.ts'
import { touchedRuns } from './touched-runs.ts'

/** Returns the standards of the runs that the entries touch, as `records`, which hold the entries, have them now. */
export function touchedStandards(entries: readonly RecordEntry[], records: Records): readonly JobRunStandards[] {
  return touchedRuns(entries, records).map(run => standardsOf(run, records))
}

function standardsOf(run: JobRunRecord, records: Records): JobRunStandards {
  const { ref, companyId, machineId, jobOperationId, startAt, endAt } = run
  const machine = records.machine(machineId)
  const operation = records.get('jobOperation', companyId, jobOperationId)
  return {
    ...jobStandardsOf(machine, operation),
    company: records.company(companyId)?.ref ?? 0,
    run: ref,
    machine: machine?.ref ?? 0,
    operation: operation?.ref ?? 0,
    startMs: Date.parse(startAt),
    endMs: endAt === null ? null : Date.parse(endAt),
    thresholds: operation?.thresholds ?? {},
  }
}
