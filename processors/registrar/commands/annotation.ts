import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { type Fault, fault } from '../../../schema/errors.ts'
import type { Payload } from '../../../schema/commands/commands.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { type AnnotatedSpan, annotationStamp, placesIn } from '../../records/annotation-stamp.ts'
import { byText } from '../../records/sorted-by-machine.ts'
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
import { Refusal, refuseFaults } from '../deciding/refusal.ts'

/**
 * Creates or replaces an annotation. It cuts overlapping annotations of the machine: an enclosed one is deleted, one
 * that reaches beyond keeps the rest, and the left part of one cut in the middle keeps the id. Returns the record.
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
  const cuts = others.flatMap(other => cut(other, after, context))
  return { changes: [...cuts, ...changeTo('annotation', after.id, before, after)], result: after }
})

/** Deletes an annotation; annotations that it cut stay cut. Returns null. */
const deleteAnnotation: CommandSpec = companyCommand('annotation.delete', (payload, context) =>
  remove('annotation', payload.id, context),
)

/**
 * Ends an annotation with its stop; deletes one that begins no earlier. Does nothing if the annotation has changed.
 * Returns null.
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
 * Assigns reasons to intervals in order, or removes them (`reasonId` null). Each interval cuts overlapping annotations
 * as an annotation does. An interval equal to an annotation keeps its id, and a reason without a note keeps the note of
 * the annotation at its start. Returns the annotations with the reasons. 409 if the annotations of an interval have
 * changed since the caller read them (`stamp`).
 */
const putReasons: CommandSpec = companyCommand('annotation.reasons', decideReasons)

function* decideReasons(
  { changes }: Payload<'annotation.reasons'>,
  context: CompanyContext,
): Steps<Decision<AnnotationRecord[]>> {
  const { company, records } = context
  const given: GivenReason[] = []
  const faults: Fault[] = []
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
    given.push(one)
    for (const each of faultsOf(one, context)) faults.push({ ...each, field: `changes[${index}].${each.field}` })
    yield
  }
  refuseFaults(faults)
  for (const { machineId, stamp, ...span } of given) {
    const hasChanged = stamp !== undefined && stamp !== annotationStamp(records.annotationsOf(machineId), span)
    if (hasChanged) throw new Refusal(409, 'RecordChanged', changedMessage)
    yield
  }
  const machines = new Map<string, Annotations>()
  for (const { machineId, stamp: _, ...one } of given) {
    const annotations = machines.get(machineId) ?? new Annotations(records.annotationsOf(machineId), context)
    machines.set(machineId, annotations)
    annotations.give(one, { machineId, companyId: company.id })
    yield
  }
  const all = [...machines.values()]
  return {
    changes: all.flatMap(annotations => annotations.changes()),
    result: all
      .flatMap(annotations => annotations.made())
      .toSorted((a, b) => byText(a.startAt, b.startAt) || byText(a.id, b.id)),
  }
}

const changedMessage = 'The reasons have been changed in the meantime: list the downtime records again'

/** Annotations of a machine, by start and without overlap, as they become. */
class Annotations {
  readonly #list: AnnotationRecord[]
  readonly #drawn: Drawn
  readonly #changed = new Map<string, { readonly before: AnnotationRecord | null; after: AnnotationRecord | null }>()
  readonly #made = new Set<string>()

  constructor(list: readonly AnnotationRecord[], drawn: Drawn) {
    this.#list = [...list]
    this.#drawn = drawn
  }

  /** Gives a reason to a span, or takes it away. */
  give(
    { startAt, endAt, reasonId, note, endsWithStop }: Omit<GivenReason, 'machineId' | 'stamp'>,
    of: Pick<AnnotationRecord, 'machineId' | 'companyId'>,
  ): void {
    const [from, to] = placesIn(this.#list, { startAt, endAt })
    const touching = this.#list.slice(from, to)
    const same = touching.find(each => each.startAt === startAt && each.endAt === endAt)
    const rest = touching.flatMap(each => restOf(each, { startAt, endAt }, this.#drawn))
    const id = same?.id ?? this.#drawn.freshId()
    const told = { note: note ?? touching[0]?.note ?? '', ...(endsWithStop && { endsWithStop }) }
    const own = { id, ...of, startAt, endAt, ...told }
    const parts = [...rest, ...(reasonId === null ? [] : [{ ...own, reasonId }])]
    parts.sort((a, b) => byText(a.startAt, b.startAt))
    this.#list.splice(from, to - from, ...parts)
    for (const each of touching) this.#note(each.id, each, null)
    for (const each of parts) this.#note(each.id, null, each)
    if (reasonId !== null) this.#made.add(id)
  }

  /** Changes of records, deletions and cuts first. */
  changes(): readonly Change[] {
    const entries = [...this.#changed].toSorted(([, a], [, b]) => Number(a.before === null) - Number(b.before === null))
    return entries.flatMap(([id, { before, after }]) => changeTo('annotation', id, before, after))
  }

  /** Annotations that give the reasons. */
  made(): readonly AnnotationRecord[] {
    return [...this.#made].flatMap(id => this.#changed.get(id)?.after ?? [])
  }

  #note(id: string, before: AnnotationRecord | null, after: AnnotationRecord | null): void {
    const known = this.#changed.get(id)
    if (known) known.after = after
    else this.#changed.set(id, { before, after })
  }
}

/** A reason for a stretch of a machine's time; null: none. */
interface GivenReason extends AnnotatedSpan, Pick<AnnotationRecord, 'machineId'> {
  readonly reasonId: number | null
  readonly note: string | undefined
  readonly stamp: string | undefined
  readonly endsWithStop: boolean
}

function faultsOf(
  annotation: Omit<GivenReason, 'note' | 'stamp' | 'endsWithStop'>,
  { company, records }: CompanyContext,
): Fault[] {
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
function cut(other: AnnotationRecord, cover: AnnotationRecord, drawn: Drawn): Change[] {
  const [first = null, ...others] = restOf(other, cover, drawn)
  return [
    ...changeTo('annotation', other.id, other, first),
    ...others.flatMap(rest => changeTo<'annotation'>('annotation', rest.id, null, rest)),
  ]
}

/** Values that the sender of a command drew. */
type Drawn = Pick<CompanyContext, 'freshId' | 'now'>

/**
 * Parts of an annotation outside a span, in order; the first keeps the id. No part of an annotation that ends with its
 * stop begins after now: the end of the stop is unknown.
 */
function restOf(other: AnnotationRecord, span: AnnotatedSpan, { freshId, now }: Drawn): readonly AnnotationRecord[] {
  const isApart = (other.endAt !== null && other.endAt <= span.startAt) || !isBefore(other.startAt, span.endAt)
  if (isApart) return [other]
  const left = other.startAt < span.startAt ? [{ ...other, endAt: span.startAt }] : []
  const isKnown = span.endAt !== null && (other.endsWithStop !== true || span.endAt <= now)
  const right = isKnown && isBefore(span.endAt, other.endAt) ? [{ ...other, startAt: span.endAt }] : []
  const [first, second] = [...left, ...right]
  return [...(first ? [first] : []), ...(second ? [{ ...second, id: freshId() }] : [])]
}

/** Whether an instant is before an end; null is open. */
function isBefore(instant: string, end: string | null): boolean {
  return end === null || instant < end
}

export const annotationCommands = [putAnnotation, deleteAnnotation, putReasons, endWithStop]
