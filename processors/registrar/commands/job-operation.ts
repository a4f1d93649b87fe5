import { type FieldError, fieldError } from '../../../schema/errors.ts'
import {
  type JobOperationRecord,
  type WorkCenter,
  defaultJobOperation,
  defaultJobTimes,
  type WorkCenterInput,
} from '../../../schema/records/job-operation.ts'
import { canonicalId } from '../../records/record-ids.ts'
import type { JobNames } from '../../../schema/records/job-names.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put, remove } from '../deciding/command.ts'
import { toInstantOrNull } from '../../../shared/time/instant.ts'
import { throwIfInvalid, rejectIfInUse, storedReferences } from '../deciding/command-rejection.ts'
import { toDueAt } from './due-at.ts'
import { findMissing } from './named-records.ts'
import { providedThresholds, withDefaults } from './optional-fields.ts'

/** Creates or replaces a job operation; its four names are unique in the company. Returns the record. */
const putOperation: CommandSpec = companyCommand('jobOperation.put', (payload, context) => {
  const { company, operations, nextRef } = context
  const operationId = canonicalId(payload.id)
  const before = operations.get(company.id, operationId)
  const after: JobOperationRecord = {
    id: operationId,
    ref: before?.ref ?? nextRef('jobOperation'),
    companyId: company.id,
    jobName: payload.jobName,
    lotName: payload.lotName ?? '',
    operationName: payload.operationName ?? '',
    partName: payload.partName ?? '',
    ...withDefaults(defaultJobTimes, payload),
    description: payload.description ?? null,
    dueAt: toDueAt(payload.dueAt, context),
    partValue: payload.partValue ?? null,
    quantityRequired: payload.quantityRequired ?? null,
    workCenters: (payload.workCenters ?? []).map(toWorkCenter),
    thresholds: providedThresholds(payload.thresholds),
    archivedAt: toInstantOrNull(payload.archivedAt),
  }
  throwIfInvalid(findFieldErrors(after, context))
  return put('jobOperation', operationId, before, after)
})

/** Deletes a job operation; 409 if it has runs (archive it instead). Returns null. */
const deleteOperation: CommandSpec = companyCommand('jobOperation.delete', (payload, context) => {
  const decision = remove('jobOperation', payload.id, context)
  const { company, operations } = context
  const operation = operations.get(company.id, payload.id)
  if (!operation) return decision
  const { id, ref } = operation
  const uses = context.stored.get('uses', {
    kind: 'jobOperation',
    companyId: company.id,
    id,
    companyRef: company.ref,
    ref,
  })
  rejectIfInUse([storedReferences('job run', uses, run => run.id)], 'archive it instead')
  return decision
})

export function toWorkCenter(input: WorkCenterInput): WorkCenter {
  return {
    machineId: input.machineId ? canonicalId(input.machineId) : null,
    machineGroupId: input.machineGroupId ? canonicalId(input.machineGroupId) : null,
    ...withDefaults(defaultJobTimes, input),
  }
}

function findFieldErrors(operation: JobOperationRecord, context: CompanyContext): FieldError[] {
  const other = context.operations.byNames(context.company.id, operation)
  const errors = operation.workCenters.flatMap((center, index) =>
    findWorkCenterErrors(center, `workCenters[${index}]`, context),
  )
  if (other && other.id !== operation.id)
    errors.push(fieldError('jobName', 'InvalidDataItem', `Job operation '${other.id}' has the same four names`))
  return errors
}

export function findWorkCenterErrors(
  { machineId, machineGroupId }: WorkCenter,
  field: string,
  context: CompanyContext,
): readonly FieldError[] {
  if (machineId === null && machineGroupId === null)
    return [fieldError(field, 'Required', `${field} needs a machineId or a machineGroupId`)]
  if (machineId !== null && machineGroupId !== null)
    return [
      fieldError(field, 'MutuallyExclusive', `${field} has a machineId and a machineGroupId: only one is allowed`),
    ]
  return [
    ...findMissing(`${field}.machineId`, 'machine', machineId, context),
    ...findMissing(`${field}.machineGroupId`, 'machineGroup', machineGroupId, context),
  ]
}

/** Returns a new job operation with default values besides its names. */
export function newOperation(
  { jobName, lotName, operationName, partName }: JobNames,
  { id, ref, companyId }: Pick<JobOperationRecord, 'id' | 'ref' | 'companyId'>,
): JobOperationRecord {
  // In a literal that begins with a spread, V8 copies a second spread 30 times as slowly.
  return { id, ref, companyId, ...defaultJobOperation, jobName, lotName, operationName, partName }
}

export const jobOperationCommands = [putOperation, deleteOperation]
