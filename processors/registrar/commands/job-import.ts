import type { Result } from '../../../schema/commands/commands.ts'
import type { ImportedJob, JobImportChunk } from '../../../schema/commands/job-commands.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type FieldError, fieldError } from '../../../schema/errors.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { namesKey } from '../../../schema/records/job-names.ts'
import { type CommandSpec, type CompanyContext, type Decision, changeTo, companyCommand } from '../deciding/command.ts'
import { throwIfInvalid } from '../deciding/command-rejection.ts'
import { newOperation, toWorkCenter, findWorkCenterErrors } from './job-operation.ts'

/**
 * Applies all jobs of a file or none: creates new jobs, changes existing ones, and restores archived ones. Returns the
 * numbers of created, changed and archived jobs. A preview returns the same numbers and changes nothing.
 */
const importJobs: CommandSpec = companyCommand('jobImport.apply', decide, splitPayload)

function* decide(
  chunks: readonly JobImportChunk[],
  context: CompanyContext,
): Steps<Decision<Result<'jobImport.apply'>>> {
  const { company, operations, now } = context
  const jobs = chunks.flatMap(chunk => chunk.jobs)
  throwIfInvalid(yield* findFieldErrors(jobs, context))
  const known = yield* operations.allByNames(company.id, jobs)
  const changes: Change[] = []
  const named = new Set<string>()
  let createdCount = 0
  for (const imported of jobs) {
    const before = known.get(namesKey(imported)) ?? null
    if (before) named.add(before.id)
    if (imported.isSkipped === true) {
      yield
      continue
    }
    if (!before) createdCount++
    const after = mergeOperation(before ?? createOperation(imported, context), imported)
    changes.push(...changeTo('jobOperation', after.id, before, after))
    yield
  }
  const ofFile = changes.length
  for (const before of chunks[0]?.autoArchive === true ? operations.active(company.id) : []) {
    if (!named.has(before.id))
      changes.push(...changeTo('jobOperation', before.id, before, { ...before, archivedAt: now }))
    yield
  }
  const counts = { created: createdCount, changed: ofFile - createdCount, archived: changes.length - ofFile }
  return { changes: chunks[0]?.isPreview === true ? [] : changes, result: counts }
}

function createOperation(imported: ImportedJob, { company, freshId, nextRef }: CompanyContext): JobOperationRecord {
  return newOperation(imported, { id: freshId(), ref: nextRef('jobOperation'), companyId: company.id })
}

/** Returns the job operation with the values of the file. */
function mergeOperation(was: JobOperationRecord, imported: ImportedJob): JobOperationRecord {
  return {
    id: was.id,
    ref: was.ref,
    companyId: was.companyId,
    jobName: was.jobName,
    lotName: was.lotName,
    operationName: was.operationName,
    partName: was.partName,
    description: valueOrPrevious(imported.description, was.description),
    dueAt: valueOrPrevious(imported.dueAt, was.dueAt),
    partValue: valueOrPrevious(imported.partValue, was.partValue),
    quantityRequired: valueOrPrevious(imported.quantityRequired, was.quantityRequired),
    expectedSetupTime: valueOrPrevious(imported.expectedSetupTime, was.expectedSetupTime),
    idealPartTime: valueOrPrevious(imported.idealPartTime, was.idealPartTime),
    expectedPartTime: valueOrPrevious(imported.expectedPartTime, was.expectedPartTime),
    partCountMultiplier: valueOrPrevious(imported.partCountMultiplier, was.partCountMultiplier),
    workCenters: imported.workCenters?.map(toWorkCenter) ?? was.workCenters,
    thresholds: imported.thresholds ? mergedThresholds(was.thresholds, imported.thresholds) : was.thresholds,
    archivedAt: null,
  }
}

/** Returns the value of the file; the previous value if the file omits the field. null clears the field. */
function valueOrPrevious<T>(imported: T | null | undefined, was: T | null): T | null {
  return imported === undefined ? was : imported
}

function mergedThresholds(
  was: JobOperationRecord['thresholds'],
  imported: NonNullable<ImportedJob['thresholds']>,
): JobOperationRecord['thresholds'] {
  return Object.fromEntries(Object.entries({ ...was, ...imported }).filter(([, value]) => value !== null))
}

/** Finds jobs that occur repeatedly, and work centers that were deleted since the file was parsed. */
function* findFieldErrors(jobs: readonly ImportedJob[], context: CompanyContext): Steps<readonly FieldError[]> {
  const rows = new Map<string, number>()
  const errors: FieldError[] = []
  for (const imported of jobs) {
    const key = namesKey(imported)
    const first = rows.get(key)
    if (first === undefined) rows.set(key, imported.row)
    else errors.push(fieldError(`row ${imported.row}`, 'InvalidDataItem', `Row ${first} has the same job`))
    for (const center of imported.workCenters ?? [])
      errors.push(...findWorkCenterErrors(toWorkCenter(center), `row ${imported.row}.workcenter`, context))
    yield
  }
  return errors
}

/** Maximum number of jobs that are validated in one step. */
const jobsPerStep = 100
/** Maximum number of chunks of a command. The schema rejects more; a longer array is not split. */
const maxChunks = 100_000

/** Splits a payload into parts with at most `jobsPerStep` jobs of one chunk, which are validated separately. */
function* splitPayload(payload: unknown): Generator<unknown, void> {
  if (!Array.isArray(payload) || payload.length > maxChunks) return yield payload
  for (const chunk of payload as readonly unknown[]) yield* splitChunk(chunk)
}

function* splitChunk(chunk: unknown): Generator<unknown, void> {
  if (typeof chunk !== 'object' || chunk === null || !('jobs' in chunk) || !Array.isArray(chunk.jobs))
    return yield [chunk]
  const jobs: readonly unknown[] = chunk.jobs
  if (jobs.length <= jobsPerStep) return yield [chunk]
  for (let from = 0; from < jobs.length; from += jobsPerStep)
    yield [{ ...chunk, jobs: jobs.slice(from, from + jobsPerStep) }]
}

export const jobImportCommands = [importJobs]
