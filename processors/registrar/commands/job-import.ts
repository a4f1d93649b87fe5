import type { ImportedJob, JobImportChunk, Result } from '../../../schema/commands/commands.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type Fault, fault } from '../../../schema/errors.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { namesKey } from '../../records/job-operations.ts'
import { type CommandSpec, type CompanyContext, type Decision, changeTo, companyCommand } from '../deciding/command.ts'
import { refuseFaults } from '../deciding/refusal.ts'
import { newOperation, toWorkCenter, workCenterFaults } from './job-operation.ts'

/**
 * Applies the jobs of a file, all or none: creates new jobs, changes existing ones, and restores archived ones. Returns
 * the numbers of created, changed and archived jobs. A preview returns the same and changes nothing.
 */
const importJobs: CommandSpec = companyCommand('jobImport.apply', decide, cut)

function* decide(
  chunks: readonly JobImportChunk[],
  context: CompanyContext,
): Steps<Decision<Result<'jobImport.apply'>>> {
  const { company, records, now } = context
  const jobs = chunks.flatMap(chunk => chunk.jobs)
  refuseFaults(yield* faultsOf(jobs, context))
  const changes: Change[] = []
  const named = new Set<JobOperationRecord>()
  let createdCount = 0
  for (const given of jobs) {
    const before = records.jobOperation(company.id, given)
    if (before) named.add(before)
    if (given.isSkipped === true) {
      yield
      continue
    }
    if (!before) createdCount++
    const after = merged(before ?? created(given, context), given)
    changes.push(...changeTo('jobOperation', after.id, before, after))
    yield
  }
  const ofFile = changes.length
  const isLeftOut = (operation: JobOperationRecord) => operation.archivedAt === null && !named.has(operation)
  for (const before of chunks[0]?.autoArchive === true ? records.list('jobOperation', company.id) : []) {
    if (isLeftOut(before)) changes.push(...changeTo('jobOperation', before.id, before, { ...before, archivedAt: now }))
    yield
  }
  const counts = { created: createdCount, changed: ofFile - createdCount, archived: changes.length - ofFile }
  return { changes: chunks[0]?.isPreview === true ? [] : changes, result: counts }
}

function created(given: ImportedJob, { company, freshId, nextRef }: CompanyContext): JobOperationRecord {
  return newOperation(given, { id: freshId(), ref: nextRef('jobOperation'), companyId: company.id })
}

/** The operation with the values of the file. */
function merged(was: JobOperationRecord, given: ImportedJob): JobOperationRecord {
  return {
    id: was.id,
    ref: was.ref,
    companyId: was.companyId,
    jobName: was.jobName,
    lotName: was.lotName,
    operationName: was.operationName,
    partName: was.partName,
    description: told(given.description, was.description),
    dueAt: told(given.dueAt, was.dueAt),
    partValue: told(given.partValue, was.partValue),
    quantityRequired: told(given.quantityRequired, was.quantityRequired),
    expectedSetupTime: told(given.expectedSetupTime, was.expectedSetupTime),
    idealPartTime: told(given.idealPartTime, was.idealPartTime),
    expectedPartTime: told(given.expectedPartTime, was.expectedPartTime),
    partCountMultiplier: told(given.partCountMultiplier, was.partCountMultiplier),
    workCenters: given.workCenters?.map(toWorkCenter) ?? was.workCenters,
    thresholds: given.thresholds ? mergedThresholds(was.thresholds, given.thresholds) : was.thresholds,
    archivedAt: null,
  }
}

/** Keeps a field that is left out; null takes it away. */
function told<T>(given: T | null | undefined, was: T | null): T | null {
  return given === undefined ? was : given
}

function mergedThresholds(
  was: JobOperationRecord['thresholds'],
  given: NonNullable<ImportedJob['thresholds']>,
): JobOperationRecord['thresholds'] {
  return Object.fromEntries(Object.entries({ ...was, ...given }).filter(([, value]) => value !== null))
}

/** The reader of the file has found its work centers; that they are still there is seen here. */
function* faultsOf(jobs: readonly ImportedJob[], context: CompanyContext): Steps<readonly Fault[]> {
  const rows = new Map<string, number>()
  const faults: Fault[] = []
  for (const given of jobs) {
    const key = namesKey(given)
    const first = rows.get(key)
    if (first === undefined) rows.set(key, given.row)
    else faults.push(fault(`row ${given.row}`, 'InvalidDataItem', `Row ${first} has the same job`))
    for (const center of given.workCenters ?? [])
      faults.push(...workCenterFaults(toWorkCenter(center), `row ${given.row}.workcenter`, context))
    yield
  }
  return faults
}

/** Bound of one piece. */
const jobsPerPiece = 100
/** No command has more chunks: then nothing but its schema says what is wrong with it. */
const mostChunks = 100_000

/** A payload in pieces to be checked: one chunk each, with some of its jobs. */
function* cut(payload: unknown): Generator<unknown, void> {
  if (!Array.isArray(payload) || payload.length > mostChunks) return yield payload
  for (const chunk of payload as readonly unknown[]) yield* cutChunk(chunk)
}

function* cutChunk(chunk: unknown): Generator<unknown, void> {
  if (typeof chunk !== 'object' || chunk === null || !('jobs' in chunk) || !Array.isArray(chunk.jobs))
    return yield [chunk]
  const jobs: readonly unknown[] = chunk.jobs
  if (jobs.length <= jobsPerPiece) return yield [chunk]
  for (let from = 0; from < jobs.length; from += jobsPerPiece)
    yield [{ ...chunk, jobs: jobs.slice(from, from + jobsPerPiece) }]
}

export const jobImportCommands = [importJobs]
