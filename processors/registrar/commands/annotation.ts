import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type Fault, fault } from '../../../schema/errors.ts'
import { byText } from '../../records/sorted-by-machine.ts'
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

/**
 * Gives reasons to stretches of time, one after the other, or takes them away (`reasonId` null). Each cuts what it covers, as one annotation
 * does; a stretch that is exactly an annotation's keeps its id. Answers the annotations that give the reasons.
 */
const putReasons: CommandSpec = companyCommand('annotation.reasons', ({ changes }, context) => {
  const { company, records, freshId } = context
  const given = changes.map((change): GivenReason => ({
    machineId: canonicalId(change.machineId),
    startAt: toInstant(change.startAt),
    endAt: toInstantOrNull(change.endAt),
    reasonId: change.reasonId,
    note: change.note ?? '',
  }))
  refuseFaults(
    given.flatMap((change, index) =>
      faultsOf(change, context).map(({ field, code, message }) => ({
        code,
        message,
        field: `changes[${index}].${field}`,
      })),
    ),
  )
  const machineIds = [...new Set(given.map(({ machineId }) => machineId))]
  const after = new Map(machineIds.map(id => [id, records.annotationsOf(id)]))
  const made = new Set<string>()
  for (const { reasonId, ...span } of given) {
    const annotations = after.get(span.machineId) ?? []
    const same = annotations.find(each => each.startAt === span.startAt && each.endAt === span.endAt)
    const rest = annotations.flatMap(each => restOf(each, span, freshId))
    const id = same?.id ?? freshId()
    if (reasonId !== null) made.add(id)
    const own = reasonId === null ? [] : [{ ...span, id, companyId: company.id, reasonId }]
    after.set(span.machineId, [...rest, ...own])
  }
  const result = [...after.values()].flat().filter(({ id }) => made.has(id))
  return {
    changes: machineIds.flatMap(id => changesBetween(records.annotationsOf(id), after.get(id) ?? [])),
    result: result.toSorted((a, b) => byText(a.startAt, b.startAt) || byText(a.id, b.id)),
  }
})

/** Changes from some annotations to others: what goes or is cut comes first. */
function changesBetween(before: readonly AnnotationRecord[], after: readonly AnnotationRecord[]): Change[] {
  const known = new Map(before.map(each => [each.id, each]))
  const kept = new Map(after.map(each => [each.id, each]))
  return [
    ...before.flatMap(each => changeTo('annotation', each.id, each, kept.get(each.id) ?? null)),
    ...after.flatMap(each => (known.has(each.id) ? [] : changeTo<'annotation'>('annotation', each.id, null, each))),
  ]
}

/** A stretch of time; `endAt` null: it goes on. */
type Span = Pick<AnnotationRecord, 'startAt' | 'endAt'>

/** A reason for a stretch of a machine's time; null: none. */
interface GivenReason extends Span, Pick<AnnotationRecord, 'machineId' | 'note'> {
  readonly reasonId: number | null
}

function faultsOf(annotation: Omit<GivenReason, 'note'>, { company, records }: CompanyContext): Fault[] {
  const { machineId, reasonId, startAt, endAt } = annotation
  const faults: Fault[] = []
  if (!records.get('machine', company.id, machineId))
    faults.push(fault('machineId', 'InvalidDataItem', `Machine '${machineId}' does not exist`))
  if (reasonId !== null && !records.get('downtimeReason', company.id, reasonId))
    faults.push(fault('reasonId', 'InvalidDataItem', `Downtime reason ${reasonId} does not exist`))
  if (endAt !== null && endAt <= startAt) faults.push(fault('endAt', 'InvalidRange', 'endAt must be after startAt'))
  return faults
}

/** Cuts from an annotation what another covers. */
function cut(other: AnnotationRecord, cover: AnnotationRecord, freshId: () => string): Change[] {
  const [first = null, ...others] = restOf(other, cover, freshId)
  return [
    ...changeTo('annotation', other.id, other, first),
    ...others.flatMap(rest => changeTo<'annotation'>('annotation', rest.id, null, rest)),
  ]
}

/** Parts of an annotation outside of a span, in order; the first keeps the id. */
function restOf(other: AnnotationRecord, span: Span, freshId: () => string): readonly AnnotationRecord[] {
  const isApart = (other.endAt !== null && other.endAt <= span.startAt) || !isBefore(other.startAt, span.endAt)
  if (isApart) return [other]
  const left = other.startAt < span.startAt ? [{ ...other, endAt: span.startAt }] : []
  const right = span.endAt !== null && isBefore(span.endAt, other.endAt) ? [{ ...other, startAt: span.endAt }] : []
  const [first, second] = [...left, ...right]
  return [...(first ? [first] : []), ...(second ? [{ ...second, id: freshId() }] : [])]
}

/** Whether an instant is before an end; null is open. */
function isBefore(instant: string, end: string | null): boolean {
  return end === null || instant < end
}

export const annotationCommands = [putAnnotation, deleteAnnotation, putReasons]
