import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type FieldError, fieldError } from '../../../schema/errors.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import { groupBy } from '../../../shared/collections/group-by.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { type AnnotatedSpan, annotationStamp, overlapIndexes } from '../../records/annotation-stamp.ts'
import { endMsOf } from '../../records/effective-runs.ts'
import { canonicalId } from '../../records/record-ids.ts'
import {
  type CommandSpec,
  type CompanyContext,
  type Decision,
  changeTo,
  companyCommand,
  remove,
} from '../deciding/command.ts'
import { toInstant, toInstantOrNull } from '../../../shared/time/instant.ts'
import { CommandRejection, throwIfInvalid } from '../deciding/command-rejection.ts'
import { findMissing } from './named-records.ts'
import { compareTexts } from '../../../shared/collections/compare-texts.ts'

/**
 * Creates or replaces an annotation. Overlapping annotations of the machine lose the common time: an enclosed one
 * is deleted; if two parts of one remain, the first keeps the id. Returns the record.
 */
const putAnnotation: CommandSpec = companyCommand('annotation.put', (payload, context) => {
  const { company, timed, freshId } = context
  const after: AnnotationRecord = {
    id: payload.id ? canonicalId(payload.id) : freshId(),
    companyId: company.id,
    machineId: canonicalId(payload.machineId),
    reasonId: payload.reasonId,
    startAt: toInstant(payload.startAt),
    endAt: toInstantOrNull(payload.endAt),
    note: payload.note ?? '',
  }
  throwIfInvalid(findFieldErrors(after, context))
  const before = payload.id ? timed.get('annotation', company.id, after.id) : null
  const others = annotationsIn(after, context).filter(other => other.id !== after.id)
  const cuts = others.flatMap(other => removeOverlap(other, after, context))
  return { changes: [...cuts, ...changeTo('annotation', after.id, before, after)], result: after }
})

/** Deletes an annotation; annotations that it has shortened are not restored. Returns null. */
const deleteAnnotation: CommandSpec = companyCommand('annotation.delete', (payload, context) =>
  remove('annotation', payload.id, context),
)

/**
 * Ends an annotation at the end of its stop; deletes the annotation if it starts at or after that end. Does nothing if
 * the annotation has changed. Returns null.
 */
const endWithStop: CommandSpec = companyCommand('annotation.endWithStop', (payload, { company, records }) => {
  const id = canonicalId(payload.id)
  const before = records.get('annotation', company.id, id)
  const startAt = toInstant(payload.startAt)
  const stopEnd = toInstant(payload.endAt)
  if (before?.endsWithStop !== true || before.startAt !== startAt) return { changes: [], result: null }
  const { endsWithStop: _, ...rest } = before
  const endAt = isBefore(stopEnd, before.endAt) ? stopEnd : before.endAt
  const after = endAt !== null && endAt <= startAt ? null : { ...rest, endAt }
  return { changes: changeTo('annotation', id, before, after), result: null }
})

/**
 * Assigns reasons to intervals in order, or removes them (`reasonId` null). Each interval shortens overlapping
 * annotations as `annotation.put` does. An interval equal to an annotation keeps its id, and a reason without a note keeps the note of
 * the annotation at its start. Returns the annotations with the reasons. 409 if the annotations of an interval have
 * changed since the caller read them (`stamp`).
 */
const putReasons: CommandSpec = companyCommand('annotation.reasons', decideReasons)

function* decideReasons(
  { changes }: Payload<'annotation.reasons'>,
  context: CompanyContext,
): Steps<Decision<AnnotationRecord[]>> {
  const { company } = context
  const assignments: ReasonAssignment[] = []
  const errors: FieldError[] = []
  for (const [index, change] of changes.entries()) {
    const one = {
      machineId: canonicalId(change.machineId),
      startAt: toInstant(change.startAt),
      endAt: toInstantOrNull(change.endAt),
      reasonId: change.reasonId,
      note: change.note,
      stamp: change.stamp,
      endsWithStop: change.endsWithStop === true,
    }
    assignments.push(one)
    for (const each of findFieldErrors(one, context)) errors.push({ ...each, field: `changes[${index}].${each.field}` })
    yield
  }
  throwIfInvalid(errors)
  const machines = new Map<string, Annotations>()
  for (const [machineId, ofMachine] of groupBy(assignments, each => each.machineId)) {
    const before = annotationsIn({ machineId, ...spanOfAll(ofMachine) }, context)
    machines.set(machineId, new Annotations(before, context))
    for (const { stamp, ...span } of ofMachine) {
      const hasChanged = stamp !== undefined && stamp !== annotationStamp(before, span)
      if (hasChanged) throw new CommandRejection(409, 'RecordChanged', changedMessage)
      yield
    }
  }
  for (const { machineId, stamp: _, ...one } of assignments) {
    machines.get(machineId)?.assign(one, { machineId, companyId: company.id })
    yield
  }
  const all = [...machines.values()]
  return {
    changes: all.flatMap(annotations => annotations.changes()),
    result: all
      .flatMap(annotations => annotations.assigned())
      .toSorted((a, b) => compareTexts(a.startAt, b.startAt) || compareTexts(a.id, b.id)),
  }
}

const changedMessage = 'The reasons have changed since they were read. Read the downtime records again.'

/** Returns the span from the first start to the last end. */
function spanOfAll(spans: readonly AnnotatedSpan[]): AnnotatedSpan {
  const ends = spans.map(({ endAt }) => endAt)
  return {
    startAt: spans.map(({ startAt }) => startAt).reduce((a, b) => (a < b ? a : b)),
    endAt: ends.reduce((a, b) => (a === null || b === null ? null : a > b ? a : b)),
  }
}

/** Returns annotations of a machine, by start: at least those that overlap a span. */
function annotationsIn(
  { machineId, startAt, endAt }: AnnotatedSpan & Pick<AnnotationRecord, 'machineId'>,
  { company, timed }: CompanyContext,
): readonly AnnotationRecord[] {
  return timed.annotationsIn({ id: machineId, companyId: company.id }, Date.parse(startAt), endMsOf(endAt))
}

/** Annotations of one machine while a command changes them: sorted by start, without overlap. */
class Annotations {
  readonly #list: AnnotationRecord[]
  readonly #generated: GeneratedValues
  readonly #changed = new Map<string, { readonly before: AnnotationRecord | null; after: AnnotationRecord | null }>()
  readonly #assigned = new Set<string>()

  constructor(list: readonly AnnotationRecord[], generated: GeneratedValues) {
    this.#list = [...list]
    this.#generated = generated
  }

  /** Assigns a reason to a time span, or removes the reasons within it. */
  assign(
    { startAt, endAt, reasonId, note, endsWithStop }: Omit<ReasonAssignment, 'machineId' | 'stamp'>,
    of: Pick<AnnotationRecord, 'machineId' | 'companyId'>,
  ): void {
    const [from, to] = overlapIndexes(this.#list, { startAt, endAt })
    const touching = this.#list.slice(from, to)
    const same = touching.find(each => each.startAt === startAt && each.endAt === endAt)
    const rest = touching.flatMap(each => partsOutside(each, { startAt, endAt }, this.#generated))
    const id = same?.id ?? this.#generated.freshId()
    const details = { note: note ?? touching[0]?.note ?? '', ...(endsWithStop && { endsWithStop }) }
    const own = { id, ...of, startAt, endAt, ...details }
    const parts = [...rest, ...(reasonId === null ? [] : [{ ...own, reasonId }])]
    parts.sort((a, b) => compareTexts(a.startAt, b.startAt))
    this.#list.splice(from, to - from, ...parts)
    for (const each of touching) this.#note(each.id, each, null)
    for (const each of parts) this.#note(each.id, null, each)
    if (reasonId !== null) this.#assigned.add(id)
  }

  /** Returns the changes of records: deletions and cuts first, then new annotations. */
  changes(): readonly Change[] {
    const entries = [...this.#changed].toSorted(([, a], [, b]) => Number(a.before === null) - Number(b.before === null))
    return entries.flatMap(([id, { before, after }]) => changeTo('annotation', id, before, after))
  }

  /** Returns the annotations with the assigned reasons. */
  assigned(): readonly AnnotationRecord[] {
    return [...this.#assigned].flatMap(id => this.#changed.get(id)?.after ?? [])
  }

  #note(id: string, before: AnnotationRecord | null, after: AnnotationRecord | null): void {
    const known = this.#changed.get(id)
    if (known) known.after = after
    else this.#changed.set(id, { before, after })
  }
}

/** Assignment of a reason to a time span of a machine; `reasonId` null removes reasons. */
interface ReasonAssignment extends AnnotatedSpan, Pick<AnnotationRecord, 'machineId'> {
  readonly reasonId: number | null
  readonly note: string | undefined
  readonly stamp: string | undefined
  readonly endsWithStop: boolean
}

function findFieldErrors(
  annotation: Omit<ReasonAssignment, 'note' | 'stamp' | 'endsWithStop'>,
  context: CompanyContext,
): FieldError[] {
  const { machineId, reasonId, startAt, endAt } = annotation
  const errors: FieldError[] = [
    ...findMissing('machineId', 'machine', machineId, context),
    ...findMissing('reasonId', 'downtimeReason', reasonId, context),
  ]
  if (endAt !== null && endAt <= startAt)
    errors.push(fieldError('endAt', 'InvalidRange', 'endAt must be after startAt'))
  return errors
}

/** Removes from an annotation the time that another annotation covers. */
function removeOverlap(other: AnnotationRecord, cover: AnnotationRecord, generated: GeneratedValues): Change[] {
  const [first = null, ...others] = partsOutside(other, cover, generated)
  return [
    ...changeTo('annotation', other.id, other, first),
    ...others.flatMap(rest => changeTo<'annotation'>('annotation', rest.id, null, rest)),
  ]
}

/** Values that the sender of a command generated. */
type GeneratedValues = Pick<CompanyContext, 'freshId' | 'now'>

/**
 * Returns the parts of an annotation outside a time span, in order; the first keeps the id. No part of an annotation
 * that ends with its stop begins after now, because the end of the stop is unknown.
 */
function partsOutside(
  other: AnnotationRecord,
  span: AnnotatedSpan,
  { freshId, now }: GeneratedValues,
): readonly AnnotationRecord[] {
  const isApart = (other.endAt !== null && other.endAt <= span.startAt) || !isBefore(other.startAt, span.endAt)
  if (isApart) return [other]
  const left = other.startAt < span.startAt ? [{ ...other, endAt: span.startAt }] : []
  const isKnown = span.endAt !== null && (other.endsWithStop !== true || span.endAt <= now)
  const right = isKnown && isBefore(span.endAt, other.endAt) ? [{ ...other, startAt: span.endAt }] : []
  const [first, second] = [...left, ...right]
  return [...(first ? [first] : []), ...(second ? [{ ...second, id: freshId() }] : [])]
}

/** Returns whether an instant is before an end; null is an open end. */
function isBefore(instant: string, end: string | null): boolean {
  return end === null || instant < end
}

export const annotationCommands = [putAnnotation, deleteAnnotation, putReasons, endWithStop]
