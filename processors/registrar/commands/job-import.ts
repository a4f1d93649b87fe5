import { fault } from '../../../schema/errors.ts'
import type { ImportedJob } from '../../../schema/commands.ts'
import type { Fault, JobOperationRecord } from '../../../schema/records.ts'
import { type CommandSpec, type CompanyContext, changeTo, companyCommand } from '../command.ts'
import { refuseFaults } from '../refusal.ts'
import { newOperation, toWorkCenter, workCenterFaults } from './job-operation.ts'

/**
 * Takes the jobs of a file over, all or none: creates those that are new, changes the others, and brings archived ones back.
 * Answers how many it created, changed and archived.
 */
const importJobs: CommandSpec = companyCommand('jobImport.apply', (payload, context) => {
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
      workCenterFaults(toWorkCenter(center), `row ${given.row}.workcenter`, context),
    )
    return [...twice, ...centers]
  })
}

export const jobImportCommands = [importJobs]
