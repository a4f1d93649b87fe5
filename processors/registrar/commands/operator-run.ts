import type { OperatorRunRecord } from '../../../schema/records/operator-run.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { signInSpan } from '../../records/spans.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put } from '../deciding/command.ts'
import { toInstantOrNull } from '../../../shared/time/instant.ts'
import { invalidField, notFound, throwIfInvalid } from '../deciding/command-rejection.ts'
import { findMissing } from './named-records.ts'

/** Signs an operator in at a machine; an existing sign-in at that time is kept. Returns the record. */
const startRun: CommandSpec = companyCommand('operatorRun.start', (payload, context) => {
  const { company, freshId, now } = context
  throwIfInvalid([
    ...findMissing('machineId', 'machine', payload.machineId, context),
    ...findMissing('operatorId', 'operator', payload.operatorId, context),
  ])
  const run: OperatorRunRecord = {
    id: freshId(),
    companyId: company.id,
    machineId: canonicalId(payload.machineId),
    operatorId: canonicalId(payload.operatorId),
    startAt: toInstantOrNull(payload.startAt) ?? now,
    endAt: null,
  }
  const current = findCurrentSignIn(run, context)
  return current ? { changes: [], result: current } : put('operatorRun', run.id, null, run)
})

/** Signs an operator out; a provided `endAt` corrects an earlier one. Returns the record. */
const endRun: CommandSpec = companyCommand('operatorRun.end', (payload, { company, timed, now }) => {
  const before = timed.get('operatorRun', company.id, payload.id)
  if (!before) throw notFound()
  const requestedEnd = toInstantOrNull(payload.endAt)
  if (requestedEnd !== null && requestedEnd < before.startAt)
    throw invalidField('endAt', 'InvalidRange', 'endAt must not be before startAt')
  const ended = now < before.startAt ? before.startAt : now
  return put('operatorRun', before.id, before, { ...before, endAt: requestedEnd ?? before.endAt ?? ended })
})

/** Finds the operator's open sign-in at this machine that includes the start of the new one; null if there is none. */
function findCurrentSignIn(run: OperatorRunRecord, { company, timed }: CompanyContext): OperatorRunRecord | null {
  const startMs = Date.parse(run.startAt)
  const isCurrent = (other: OperatorRunRecord): boolean => {
    const span = signInSpan(other, company.settings)
    return (
      other.operatorId === run.operatorId && other.endAt === null && span.startMs <= startMs && startMs < span.endMs
    )
  }
  return timed.signInsAt({ id: run.machineId, companyId: company.id }, startMs).find(isCurrent) ?? null
}

export const operatorRunCommands = [startRun, endRun]
