import { fault } from '../../../schema/errors.ts'
import type { Fault, JobOperationRecord, JobTimes, WorkCenter } from '../../../schema/records.ts'
import type { JobNames } from '../../records/records.ts'
import { type CommandSpec, type CompanyContext, type Decision, changeTo, companyCommand } from '../command.ts'
import type { PayloadSchema } from '../payload.ts'
import { refuseFaults } from '../refusal.ts'
import { amount, flag, instant, integer, list, longText, name, nullable, object, text, thresholds } from '../shapes.ts'
import { newOperation, times, toWorkCenter, workCenter, workCenterFaults } from './job-operation.ts'

/** A job operation as a file tells it, found by its four names. What is left out stays as it is, null is taken away. */
export interface ImportedJob
  extends JobNames, Partial<JobTimes>, Partial<Pick<JobOperationRecord, 'description' | 'dueAt' | 'partValue'>> {
  /** Where it stands in the file, for faults. */
  readonly row: number
  readonly quantityRequired?: number | null
  readonly workCenters?: readonly WorkCenter[]
  readonly thresholds?: { readonly partsGoalWarning?: number | null; readonly partsGoalFailure?: number | null }
}

/** One part of the command: an import may be larger than a record of the log. */
export interface JobImportPart {
  readonly jobs: readonly ImportedJob[]
  /** Archives every job that no part names; of the first part. */
  readonly autoArchive?: boolean
}

const job = object(
  {
    row: integer(0, 10_000_000),
    jobName: name,
    lotName: text,
    operationName: text,
    partName: text,
    description: nullable(longText),
    dueAt: nullable(instant),
    partValue: { type: ['number', 'null'] },
    quantityRequired: nullable(amount),
    ...times,
    workCenters: list(workCenter, 1000),
    thresholds,
  },
  ['row', 'jobName', 'lotName', 'operationName', 'partName'],
)

const parts: PayloadSchema<readonly JobImportPart[]> = {
  schema: list(object({ jobs: list(job, 1_000_000), autoArchive: flag }, ['jobs']), 100_000),
}

/**
 * Takes the jobs of a file over, all or none: creates those that are new, changes the others, and brings archived ones back.
 * Answers how many it created, changed and archived.
 */
const importJobs: CommandSpec = companyCommand('jobImport.apply', parts, (payload, context): Decision => {
  const { company, records, now, nextRef, freshId } = context
  const jobs = payload.flatMap(part => part.jobs)
  refuseFaults(faultsOf(jobs, context))
  const named = new Set<JobOperationRecord>()
  const pairs: Pair[] = jobs.map(given => {
    const before = records.jobOperation(company.id, given)
    if (before) named.add(before)
    const operation =
      before ?? newOperation(given, { id: freshId(), ref: nextRef('jobOperation'), companyId: company.id })
    return { before, after: { ...merged(operation, given), archivedAt: null } }
  })
  const isLeftOut = (operation: JobOperationRecord) => operation.archivedAt === null && !named.has(operation)
  const archived = payload[0]?.autoArchive === true ? records.list('jobOperation', company.id).filter(isLeftOut) : []
  const changes = [...pairs, ...archived.map(before => ({ before, after: { ...before, archivedAt: now } }))].flatMap(
    ({ before, after }) => changeTo('jobOperation', after.id, before, after),
  )
  const created = pairs.filter(({ before }) => before === null).length
  return {
    changes,
    result: { created, changed: changes.length - created - archived.length, archived: archived.length },
  }
})

interface Pair {
  readonly before: JobOperationRecord | null
  readonly after: JobOperationRecord
}

/** The operation with what the file tells of it. */
function merged(operation: JobOperationRecord, given: ImportedJob): JobOperationRecord {
  const { row: _, workCenters, thresholds: goals, ...plain } = given
  const kept = Object.entries({ ...operation.thresholds, ...goals }).filter(([, value]) => value !== null)
  return {
    ...operation,
    ...plain,
    ...(workCenters && { workCenters: workCenters.map(toWorkCenter) }),
    ...(goals && { thresholds: Object.fromEntries(kept) }),
  }
}

/** Whoever reads the file has found its work centers; that they are still there is seen here. */
function faultsOf(jobs: readonly ImportedJob[], context: CompanyContext): readonly Fault[] {
  const rows = new Map<string, number>()
  return jobs.flatMap(given => {
    const key = JSON.stringify([given.jobName, given.lotName, given.operationName, given.partName])
    const first = rows.get(key)
    rows.set(key, first ?? given.row)
    const twice =
      first === undefined ? [] : [fault(`row ${given.row}`, 'InvalidDataItem', `Row ${first} has the same job`)]
    const centers = (given.workCenters ?? []).flatMap(center =>
      workCenterFaults(center, `row ${given.row}.workcenter`, context),
    )
    return [...twice, ...centers]
  })
}

export const jobImportCommands = [importJobs]
