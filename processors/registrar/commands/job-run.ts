import type { Payload } from '../../../schema/commands/commands.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import { findEffectiveRun } from '../../records/effective-runs.ts'
import {
  type CommandSpec,
  type CompanyContext,
  type Decision,
  changeTo,
  companyCommand,
  put,
} from '../deciding/command.ts'
import { toInstantOrNull } from '../../../shared/time/instant.ts'
import { invalidField, notFound } from '../deciding/command-rejection.ts'
import { toDueAt } from './due-at.ts'
import { newOperation } from './job-operation.ts'

/**
 * Starts a run of a job operation, which is found by its four names or created. For a known run id, the first report
 * stays valid and the run is unchanged; 400 if the run has ended and the startAt differs. 404 for an unknown machine.
 * Returns the run.
 */
const startRun: CommandSpec = companyCommand('jobRun.start', (payload, context) => {
  const { company, records, timed, operations, now, nextRef } = context
  const startAt = toInstantOrNull(payload.startAt) ?? now
  const known = timed.get('jobRun', company.id, payload.erpJobOperationRunId)
  if (known) return confirmRun(known, startAt, context)
  const machine = records.machineByErpId(company.id, payload.erpMachineId)
  if (!machine) throw notFound(`Machine '${payload.erpMachineId}' does not exist`)
  const found = operations.byNames(company.id, namesOf(payload))
  const operation = found ?? createOperation(payload, context)
  const run: JobRunRecord = {
    id: payload.erpJobOperationRunId,
    ref: nextRef('jobRun'),
    companyId: company.id,
    machineId: machine.id,
    jobOperationId: operation.id,
    startInSetup: payload.startInSetup ?? false,
    startAt,
    endAt: null,
    productionAt: null,
    startSequence: nextRef('startSequence'),
  }
  return {
    changes: [
      ...changeTo('jobOperation', operation.id, found, operation),
      ...changeTo<'jobRun'>('jobRun', run.id, null, run),
    ],
    result: run,
  }
})

/** Switches a run from setup to production; a provided `productionAt` corrects an earlier one. Returns the run. */
const production: CommandSpec = companyCommand('jobRun.production', (payload, context) => {
  const before = requireRun(payload, context)
  const requestedAt = parseInstantInRun(payload.productionAt, 'productionAt', before)
  const productionAt = requestedAt ?? before.productionAt ?? nowOrStart(before, context)
  return put('jobRun', before.id, before, { ...before, productionAt })
})

/**
 * Ends a run; a provided `endAt` corrects an earlier one. An end equal to the start cancels the run. Returns the run.
 */
const endRun: CommandSpec = companyCommand('jobRun.end', (payload, context) => {
  const before = requireRun(payload, context)
  const endAt = parseInstantInRun(payload.endAt, 'endAt', before) ?? before.endAt ?? nowOrStart(before, context)
  return put('jobRun', before.id, before, { ...before, endAt })
})

function confirmRun(run: JobRunRecord, startAt: string, context: CompanyContext): Decision<JobRunRecord> {
  if (startAt !== run.startAt && hasEnded(run, context))
    throw invalidField('startAt', 'InvalidDataItem', `Run '${run.id}' has ended; it started at ${run.startAt}`)
  return { changes: [], result: run }
}

function hasEnded(run: JobRunRecord, { timed, nowMs }: CompanyContext): boolean {
  if (run.endAt !== null) return true
  const counted = findEffectiveRun(run, timed.runsFrom(run, nowMs))
  return !counted || counted.endMs <= nowMs
}

function requireRun(
  { erpJobOperationRunId }: { readonly erpJobOperationRunId: string },
  context: CompanyContext,
): JobRunRecord {
  const run = context.timed.get('jobRun', context.company.id, erpJobOperationRunId)
  if (!run) throw notFound(`Job run '${erpJobOperationRunId}' does not exist`)
  return run
}

function parseInstantInRun(text: string | null | undefined, field: string, { startAt }: JobRunRecord): string | null {
  const requestedAt = toInstantOrNull(text)
  if (requestedAt !== null && requestedAt < startAt)
    throw invalidField(field, 'InvalidRange', `${field} must not be before startAt`)
  return requestedAt
}

/** Returns now, or the start of a run that starts in the future. */
function nowOrStart({ startAt }: JobRunRecord, { now }: CompanyContext): string {
  return now < startAt ? startAt : now
}

function namesOf({ jobName, lotName, operationName, partName }: Payload<'jobRun.start'>) {
  return { jobName, lotName: lotName ?? '', operationName: operationName ?? '', partName: partName ?? '' }
}

function createOperation(payload: Payload<'jobRun.start'>, context: CompanyContext): JobOperationRecord {
  const { company, freshId, nextRef } = context
  const identity = { id: freshId(), ref: nextRef('jobOperation'), companyId: company.id }
  return {
    ...newOperation(namesOf(payload), identity),
    expectedSetupTime: payload.expectedSetupTime ?? null,
    idealPartTime: payload.idealPartTime ?? null,
    expectedPartTime: payload.expectedPartTime ?? null,
    description: payload.jobOperationDescription ?? null,
    dueAt: toDueAt(payload.dueAt, context),
    partValue: payload.partValue ?? null,
    quantityRequired: payload.quantityRequired ?? null,
  }
}

export const jobRunCommands = [startRun, production, endRun]
