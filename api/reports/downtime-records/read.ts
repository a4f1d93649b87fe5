import { narrow, machineRef, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { readAnnotations } from '../../../clickhouse/projections/timed-records.ts'
import { fieldError, validationError } from '../../../schema/errors.ts'
import { dayMs, hourMs, slotOf } from '../../../shared/time/units.ts'
import type { CompanyView } from '../company/company-view.ts'
import { type DocumentReads, readScope } from '../compile/select.ts'
import { withMicrostopEnds } from '../plan/microstops.ts'
import { keepsNothing } from '../plan/plan.ts'
import { compileBegins, compileEnds, compileRecords, type RecordKey, type RecordsRead } from './compile.ts'
import { maxDaysOf, type RecordsRequest } from './request.ts'
import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'
import { firstIndex } from '../../../processors/records/sorted-by-machine.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { reasonNames } from '../groupings/entity-resolvers.ts'

/** A complete downtime record from the documents. */
export interface DowntimeRecord extends RecordKey {
  /** A reason's id, or a `reasonCode`. */
  readonly reasonCode: number
  /** UTC ms; null: ongoing. */
  readonly endMs: number | null
}

interface ListedRecord extends DowntimeRecord {
  /** Time of it in the range. */
  readonly inRangeMs: number
}

/** The records of a page, in its order. Rejects as reports do. */
export async function readRecords(request: RecordsRequest, deps: DocumentReads): Promise<readonly ListedRecord[]> {
  if (listsNothing(request)) return []
  const read = await planRead(request, deps)
  const found = await readPage({ ...request, minMs: await minLengthOf(request, read, deps) }, read, deps)
  return withEnds(found, () => Math.ceil(read.readRange.endMs / hourMs) * hourMs, deps)
}

function readPage(request: RecordsRequest, read: RecordsRead, { store, options }: DocumentReads) {
  const shape = { machineRef, startMs: wide, reasonCode: narrow, endMs: wide, inRangeMs: wide }
  return rows(store, compileRecords(request, read), shape, options)
}

/** Part of the range whose longest records are read first. */
const firstPart = 1 / 16

/**
 * The minimum time in the range of the records of a page: if the longest records are requested and the end of the range has enough of
 * them, no shorter record is on the page. This leaves out most elements before records are joined.
 */
async function minLengthOf(request: RecordsRequest, read: RecordsRead, deps: DocumentReads): Promise<number> {
  const { range, minMs, orderBy, direction, limit, after } = request
  if (orderBy !== 'duration' || direction !== 'DESC' || after !== null) return minMs
  const startMs = Math.ceil(range.endMs - (range.endMs - range.startMs) * firstPart)
  const part = { startMs, endMs: range.endMs }
  const readRange = { ...read.readRange, startMs }
  const longest = await readPage({ ...request, range: part }, { ...read, readRange }, deps)
  return longest.length < limit ? minMs : (longest.at(-1)?.inRangeMs ?? minMs)
}

function listsNothing({ range, machines, reasons, show, microstops }: RecordsRequest): boolean {
  const hasNone = show === 'only' && microstops.size === 0
  return hasNone || keepsNothing([machines, reasons]) || range.startMs >= range.endMs
}

async function planRead(request: RecordsRequest, deps: DocumentReads): Promise<RecordsRead> {
  const { range, machines, show, microstops } = request
  const { nowMs } = deps.view
  const readRange = show === 'include' ? range : withMicrostopEnds(range, microstops, nowMs)
  return { scope: await readScope(readRange, machines, deps), readRange, nowMs }
}

/** Finds the existing records with these keys. Rejects as reports do. */
export async function findRecords(keys: readonly RecordKey[], deps: DocumentReads): Promise<readonly DowntimeRecord[]> {
  const known = keys.filter(({ startMs }) => startMs < deps.view.nowMs)
  if (known.length === 0) return []
  const machines = [...new Set(known.map(key => key.machineRef))]
  const startMs = slotOf(Math.min(...known.map(key => key.startMs)))
  const endMs = Math.min(slotOf(Math.max(...known.map(key => key.startMs))) + hourMs, deps.view.nowMs)
  const maxDays = maxDaysOf(machines.length)
  if (endMs - startMs > maxDays * dayMs) {
    const message = `They begin more than ${maxDays} days apart: name fewer at once`
    throw validationError([fieldError('records', 'OutOfRange', message)])
  }
  const scope = await readScope({ startMs, endMs }, machines, deps)
  const found = await rows(
    deps.store,
    compileBegins(known, scope),
    { machineRef, startMs: wide, reasonCode: narrow, endMs: wide },
    deps.options,
  )
  return withEnds(found, record => slotOf(record.startMs) + hourMs, deps)
}

/** Days that are searched for an end: the number grows up to the maximum. */
const firstDays = 1
const maxDays = 256

/**
 * Follows records that reach the end of the read hours (`readUntilMs`) to their ends, over growing intervals. So the
 * read of a stop of years does not read years of other machines.
 */
async function withEnds<R extends DowntimeRecord & { readonly endMs: number }>(
  found: readonly R[],
  readUntilMs: (record: R) => number,
  deps: DocumentReads,
): Promise<readonly (Omit<R, 'endMs'> & { readonly endMs: number | null })[]> {
  const { store, options } = deps
  const { nowMs } = deps.view
  const ends = new Map(found.map(record => [keyText(record), record.endMs]))
  const endOf = (record: R) => ends.get(keyText(record)) ?? record.endMs
  let open = found.filter(record => record.endMs === readUntilMs(record) && record.endMs <= nowMs)
  for (let days = firstDays; open.length > 0; days = Math.min(days * 4, maxDays)) {
    const fromMs = Math.min(...open.map(endOf))
    const range = { startMs: fromMs, endMs: Math.min(slotOf(nowMs) + hourMs, fromMs + days * dayMs) }
    const within = open.filter(record => endOf(record) < range.endMs)
    const scope = await readScope(range, [...new Set(within.map(record => record.machineRef))], deps)
    const shape = { machineRef, startMs: wide, endMs: wide }
    for (const end of await rows(store, compileEnds(within, scope, range), shape, options))
      ends.set(keyText(end), Math.max(ends.get(keyText(end)) ?? 0, end.endMs))
    open = open.filter(record => endOf(record) >= range.endMs && endOf(record) <= nowMs)
  }
  return found.map(record => {
    const endMs = endOf(record)
    return { ...record, endMs: endMs > nowMs ? null : endMs }
  })
}

function keyText({ machineRef: machine, startMs }: RecordKey): string {
  return `${machine}_${startMs}`
}

/** Converts records to their responses. Rejects as reports do. */
export async function presentRecords(
  records: readonly ListedRecord[],
  { view, store, options }: Pick<DocumentReads, 'view' | 'store' | 'options'>,
): Promise<readonly DowntimeRecordResponse[]> {
  if (records.length === 0) return []
  const starts = records.map(({ startMs }) => startMs)
  const range = { fromMs: Math.min(...starts), toMs: Math.max(...starts) + 1 }
  const machines = [...new Set(records.map(({ machineRef }) => machineRef))].flatMap(ref => view.machine(ref)?.id ?? [])
  const annotations = await readAnnotations(store, view.company.id, machines, range, options)
  return records.map(recordPresenter(view, annotations))
}

function recordPresenter(
  view: CompanyView,
  annotations: ReadonlyMap<string, readonly AnnotationRecord[]>,
): (record: ListedRecord) => DowntimeRecordResponse {
  const reasonOf = reasonNames(view.reasons)
  return ({ machineRef, startMs, endMs, inRangeMs, reasonCode }) => {
    const machineId = view.machine(machineRef)?.id ?? ''
    const startAt = isoText(startMs)
    const reason = reasonOf(reasonCode)
    const annotation = annotationAt(annotations.get(machineId) ?? [], startAt)
    return {
      id: `${machineId}_${startMs}`,
      machineId,
      startAt,
      endAt: endMs === null ? null : isoText(endMs),
      durationMs: (endMs ?? view.nowMs) - startMs,
      inRangeMs,
      reasonId: reason.id,
      reason: reason.name,
      reasonColor: reason.color,
      annotationId: annotation?.id ?? null,
      note: annotation?.note ?? null,
    }
  }
}

/** The annotation that covers an instant; `annotations` by start, without overlap. */
function annotationAt(annotations: readonly AnnotationRecord[], instant: string): AnnotationRecord | null {
  const last = annotations[firstIndex(annotations, ({ startAt }) => startAt <= instant) - 1]
  return last && (last.endAt === null || last.endAt > instant) ? last : null
}
