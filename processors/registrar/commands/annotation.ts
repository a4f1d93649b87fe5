import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type Fault, fault } from '../../../schema/errors.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, changeTo, companyCommand, remove } from '../deciding/command.ts'
import { toInstant, toInstantOrNull } from '../../../shared/time/instant.ts'
import { refuseFaults } from '../deciding/refusal.ts'

/**
 * Creates or replaces an annotation. It cuts what it covers of the machine's others: one that lies within is deleted, one that
 * reaches beyond keeps the rest, and of one cut in the middle the left part keeps the id. Answers the record.
 */
const putAnnotation: CommandSpec = companyCommand('annotation.put', (payload, context) => {
  const { company, records, freshId } = context
  const after: AnnotationRecord = {
    id: payload.id ? canonicalId(payload.id) : freshId(),
    companyId: company.id,
    machineId: canonicalId(payload.machineId),
    reasonId: payload.reasonId,
    startAt: toInstant(payload.startAt),
    endAt: toInstantOrNull(payload.endAt),
    note: payload.note ?? '',
  }
  refuseFaults(faultsOf(after, context))
  const before = records.get('annotation', company.id, after.id)
  const others = records.annotationsOf(after.machineId).filter(other => other.id !== after.id)
  const cuts = others.flatMap(other => cut(other, after, freshId))
  return { changes: [...cuts, ...changeTo('annotation', after.id, before, after)], result: after }
})

/** Deletes an annotation; what it once cut stays cut. Answers null. */
const deleteAnnotation: CommandSpec = companyCommand('annotation.delete', (payload, context) =>
  remove('annotation', payload.id, context),
)

function faultsOf(annotation: AnnotationRecord, { company, records }: CompanyContext): Fault[] {
  const { machineId, reasonId, startAt, endAt } = annotation
  const faults: Fault[] = []
  if (!records.get('machine', company.id, machineId))
    faults.push(fault('machineId', 'InvalidDataItem', `Machine '${machineId}' does not exist`))
  if (!records.get('downtimeReason', company.id, reasonId))
    faults.push(fault('reasonId', 'InvalidDataItem', `Downtime reason ${reasonId} does not exist`))
  if (endAt !== null && endAt <= startAt) faults.push(fault('endAt', 'InvalidRange', 'endAt must be after startAt'))
  return faults
}

/** Cuts from an annotation what another covers. */
function cut(other: AnnotationRecord, cover: AnnotationRecord, freshId: () => string): Change[] {
  const isLeft = other.startAt < cover.startAt
  const rightFrom = cover.endAt !== null && isBefore(cover.endAt, other.endAt) ? cover.endAt : null
  const isApart = (other.endAt !== null && other.endAt <= cover.startAt) || !isBefore(other.startAt, cover.endAt)
  if (isApart) return []
  const left = isLeft ? { ...other, endAt: cover.startAt } : null
  if (rightFrom === null) return changeTo('annotation', other.id, other, left)
  if (!left) return changeTo('annotation', other.id, other, { ...other, startAt: rightFrom })
  const right = { ...other, id: freshId(), startAt: rightFrom }
  return [
    ...changeTo('annotation', other.id, other, left),
    ...changeTo<'annotation'>('annotation', right.id, null, right),
  ]
}

/** Whether an instant is before an end; null is open. */
function isBefore(instant: string, end: string | null): boolean {
  return end === null || instant < end
}

export const annotationCommands = [putAnnotation, deleteAnnotation]
