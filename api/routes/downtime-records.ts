import { ApiError, fieldError, validationError } from '../../schema/errors.ts'
import { type AnnotationResponse, annotationList, type AnnotationRecord } from '../../schema/records/annotation.ts'
import type { Payload } from '../../schema/commands/commands.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import {
  categorizeInput,
  type DowntimeRecordResponse,
  downtimeRecordList,
  downtimeRecordsQuery,
  mergeInput,
  type MicrostopsResponse,
  microstopsList,
  microstopsQuery,
  splitInput,
} from '../../schema/requests/downtime-records.ts'
import { type Infer, type Schema, unsafe } from '../../schema/types.ts'
import { readAnnotations } from '../../clickhouse/projections/timed-records.ts'
import { annotationStamp, overlapIndexes } from '../../processors/records/annotation-stamp.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import type { Caller } from '../auth/caller.ts'
import { anyOf } from '../auth/scopes.ts'
import { submit } from '../commands/submit.ts'
import { jsonBody, type Route, route } from '../http/route.ts'
import type { JsonList } from '../json/write-json.ts'
import type { ClockPort, CommandsPort, LookUpPort, StorePort } from '../ports/ports.ts'
import type { PlantReader } from '../reports/plant-reader.ts'
import type { DowntimeRecord } from '../reports/downtime-records/read.ts'
import { answerAll, linkNext } from './page.ts'
import { withoutCompany } from './record-routes.ts'

interface PlantPort {
  readonly plant: PlantReader
}

const path = '/downtime-records'

const listRecords = route(`GET ${path}`, 'listDowntimeRecords', {
  summary: 'Downtime records: stops with their reasons',
  description:
    'Records that overlap the range; default: the last 24 hours. A record is a contiguous interval of a machine’s ' +
    'downtime with one reason, in its full length: `durationMs` is its duration, `inRangeMs` its part in the downtime report of the range.',
  scope: anyOf('annotation.read', 'reporting'),
  query: downtimeRecordsQuery,
  output: unsafe<JsonList<DowntimeRecordResponse>>(downtimeRecordList),
  async handle({ query, signal, ...call }, { plant }: PlantPort) {
    const { records, next, used } = await plant.downtimeRecords(call.caller().company.id, query, { signal })
    const { startDay: _, endDay: __, ...others } = query
    if (next !== null) linkNext(path, { ...others, ...used, after: next }, call)
    return answerAll(records, record => record)
  },
})

const listMicrostops = route(`GET ${path}/microstops`, 'listMicrostops', {
  summary: 'Microstops of each machine: number and downtime',
  description:
    'Downtime records that are shorter than the microstop threshold of their machine and overlap the range; default: the last 24 hours. ' +
    'Machines without microstops are omitted. `GET /downtime-records?microstops=only` lists the records.',
  scope: anyOf('annotation.read', 'reporting'),
  query: microstopsQuery,
  output: unsafe<JsonList<MicrostopsResponse>>(microstopsList),
  async handle({ query, signal, ...call }, { plant }: PlantPort) {
    return answerAll(await plant.microstops(call.caller().company.id, query, { signal }), sums => sums)
  },
})

type Change = Payload<'annotation.reasons'>['changes'][number]
type Deps = PlantPort & LookUpPort & StorePort & CommandsPort & ClockPort

/** A downtime record of a request, in its current state. */
interface FoundRecord {
  readonly machine: MachineRecord
  readonly record: DowntimeRecord
  /** End of the assigned reason. null: open, as the record is ongoing. */
  readonly untilAt: string | null
  /** The record is ongoing, and the assigned reason ends with it. */
  readonly endsWithStop: boolean
}

interface ChangeRoute<S extends Schema> {
  readonly summary: string
  readonly description: string
  readonly input: S
  readonly ids: (body: Infer<S>) => readonly string[]
  /** Reasons in the body, by field. */
  readonly reasons: (body: Infer<S>) => Readonly<Record<string, number | null | undefined>>
  readonly changes: (
    body: Infer<S>,
    records: readonly FoundRecord[],
    at: (ms: number | null) => string,
  ) => readonly Change[]
}

const whatAnswers =
  'The response contains the annotations that now assign the reasons. An ongoing record keeps its reason until it ends: the annotation has no end ' +
  'and `endsWithStop`, until the service ends it with the stop. An omitted note stays unchanged. 409: a record or its reason has changed; list the records again.'

function changeReasons<S extends Schema>(
  change: string,
  operationId: string,
  { summary, description, input, ids, reasons, changes }: ChangeRoute<S>,
): Route<Deps> {
  return route(`POST ${path}/${change}`, operationId, {
    summary,
    description: `${description} ${whatAnswers}`,
    scope: anyOf('annotation'),
    body: jsonBody(input),
    keyed: {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar keeps the result of the same command
      again: result => answerAll(result as readonly AnnotationRecord[], withoutCompany),
    },
    mayMiss: true,
    output: unsafe<JsonList<AnnotationResponse>>(annotationList),
    async handle({ caller, body, signal }, deps: Deps) {
      const nowMs = deps.clock()
      await rejectUnknown(reasons(body), caller(), deps)
      const { records, annotations } = await findAll(ids(body), caller(), deps, { nowMs, signal })
      const stamped: Change[] = []
      for (const change of changes(body, records, ms => isoText(ms ?? nowMs))) {
        const { machineId, startAt, endAt } = change
        const stamp = annotationStamp(annotations.get(machineId) ?? [], { startAt, endAt })
        stamped.push({ ...change, stamp })
      }
      return answerAll(await submit(deps, caller(), 'annotation.reasons', { changes: stamped }), withoutCompany)
    },
  })
}

/** Throws 400 with a field error for each reason that the company does not have. */
async function rejectUnknown(
  reasons: Readonly<Record<string, number | null | undefined>>,
  { company }: Caller,
  { records, catchUpRecords }: LookUpPort,
): Promise<void> {
  const findErrors = () =>
    Object.entries(reasons).flatMap(([field, id]) => {
      const isKnown = id === null || id === undefined || records.get('downtimeReason', company.id, id) !== null
      return isKnown ? [] : [fieldError(field, 'InvalidDataItem', `Downtime reason ${id} does not exist`)]
    })
  if (findErrors().length > 0) await catchUpRecords()
  const left = findErrors()
  if (left.length > 0) throw validationError(left)
}

/** Records of a request, and the annotations of their machines in their time. */
interface FoundRecords {
  readonly records: readonly FoundRecord[]
  /** By machine id, by start. */
  readonly annotations: ReadonlyMap<string, readonly AnnotationRecord[]>
}

/**
 * The records of these ids, in their order. Throws 404 for one without a machine of the company, and 409 for one that
 * does not exist or whose reason was changed by annotations after its document was computed.
 */
async function findAll(
  ids: readonly string[],
  { company }: Caller,
  { plant, records, store, catchUpRecords }: Deps,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<FoundRecords> {
  const machineOf = (id: string) => records.get('machine', company.id, id.toLowerCase().split('_')[0] ?? '')
  if (!ids.every(machineOf)) await catchUpRecords()
  const keys = [...new Set(ids)].map(id => {
    const machine = machineOf(id)
    if (!machine) throw new ApiError(404, 'NotFound', `Unknown machine of downtime record ${id}`)
    return { id, machine, machineRef: machine.ref, startMs: Number(id.split('_')[1]) }
  })
  const found = await plant.findDowntimeRecords(company.id, keys, { signal })
  const existing = keys.map(({ id, machine, machineRef, startMs }) => {
    const record = found.find(each => each.machineRef === machineRef && each.startMs === startMs)
    if (!record)
      throw new ApiError(409, 'RecordChanged', `Downtime record ${id} no longer exists: list the records again`)
    return { id, machine, record }
  })
  const machineIds = [...new Set(existing.map(({ machine }) => machine.id))]
  const annotations = await readAnnotations(store, company.id, machineIds, timeOf(found), { signal })
  const unchanged = existing.map(({ id, machine, record }) => {
    const ofMachine = annotations.get(machine.id) ?? []
    if (!isAsAnnotated(record, ofMachine, nowMs))
      throw new ApiError(
        409,
        'RecordChanged',
        `The reason of downtime record ${id} has changed: list the records again`,
      )
    const { untilAt, endsWithStop } = endOf(record, ofMachine, isoText(nowMs))
    return { machine, record, untilAt, endsWithStop }
  })
  return { records: unchanged, annotations }
}

/** The time from the start of the first record to the last end, UTC ms; Infinity: a record is ongoing. */
function timeOf(records: readonly DowntimeRecord[]): { readonly fromMs: number; readonly toMs: number } {
  return {
    fromMs: Math.min(...records.map(({ startMs }) => startMs)),
    toMs: Math.max(...records.map(({ endMs }) => endMs ?? Infinity)),
  }
}

/** End of a reason that is assigned now. Later annotations stay. */
function endOf(
  { endMs }: DowntimeRecord,
  annotations: readonly AnnotationRecord[],
  now: string,
): Pick<FoundRecord, 'untilAt' | 'endsWithStop'> {
  if (endMs !== null) return { untilAt: isoText(endMs), endsWithStop: false }
  const untilAt = annotations.find(({ startAt }) => startAt > now)?.startAt ?? null
  const last = annotations.at(-1)
  // A user has extended the reason beyond the stop.
  const goesBeyond = untilAt === null && last?.endAt === null && last.endsWithStop !== true
  return { untilAt, endsWithStop: !goesBeyond }
}

/** Whether annotations give a record its reason for its whole time. */
function isAsAnnotated(
  { startMs, endMs, reasonCode }: DowntimeRecord,
  annotations: readonly AnnotationRecord[],
  nowMs: number,
): boolean {
  const span = { startAt: isoText(startMs), endAt: isoText(endMs ?? nowMs) }
  const touching = annotations.slice(...overlapIndexes(annotations, span))
  const reason = present(reasonCode)
  if (reason === null) return touching.length === 0
  let coveredAt = span.startAt
  for (const { reasonId, startAt, endAt } of touching) {
    if (reasonId !== reason || startAt > coveredAt) return false
    coveredAt = endAt ?? span.endAt
  }
  return coveredAt >= span.endAt
}

const categorize = changeReasons('categorize', 'categorizeDowntimeRecords', {
  summary: 'Assign a reason to downtime records',
  description: 'Changes all records, or none if one has an error.',
  input: categorizeInput,
  ids: ({ records }) => records,
  reasons: ({ reasonId }) => ({ reasonId }),
  changes: ({ reasonId, note }, records, at) => records.map(found => changeOf(spanOf(found, at), { reasonId, note })),
})

const split = changeReasons('split', 'splitDowntimeRecord', {
  summary: 'Split a downtime record at an instant',
  description:
    'Each part may get a reason and a note; an omitted part stays unchanged. The parts must have different reasons: with the same reason they ' +
    'would be one record.',
  input: splitInput,
  ids: ({ record }) => [record],
  reasons: ({ before, after }) => ({ 'before.reasonId': before?.reasonId, 'after.reasonId': after?.reasonId }),
  changes({ at: instantText, before, after }, [found], at) {
    if (!found) return []
    const span = spanOf(found, at)
    const instant = toInstant(instantText)
    const endAt = at(found.record.endMs)
    const isWithin = span.startAt < instant && instant < endAt
    const reasons = [before, after].map(part => (part ? part.reasonId : present(found.record.reasonCode)))
    if (!isWithin)
      throw validationError([fieldError('at', 'InvalidRange', `at must lie between ${span.startAt} and ${endAt}`)])
    if (reasons[0] === reasons[1])
      throw validationError([fieldError('after', 'InvalidDataItem', 'before and after must differ in their reason')])
    return [
      ...(before ? [{ ...span, endAt: instant, endsWithStop: false, ...before }] : []),
      ...(after ? [{ ...span, startAt: instant, ...after }] : []),
    ]
  },
})

const merge = changeReasons('merge', 'mergeDowntimeRecords', {
  summary: 'Merge downtime records of a machine',
  description:
    'All get one reason: that of the request, or that of the first record with one. Other downtime between them gets it, too. Records between ' +
    'which the machine was in cycle stay separate, with the same reason.',
  input: mergeInput,
  ids: ({ records }) => records,
  reasons: ({ reasonId }) => ({ reasonId }),
  changes({ reasonId, note }, records, at) {
    const inOrder = records.toSorted((a, b) => a.record.startMs - b.record.startMs)
    const [first] = inOrder
    const last = inOrder.at(-1)
    if (!first || !last || inOrder.some(({ machine }) => machine !== first.machine))
      throw validationError([fieldError('records', 'InvalidDataItem', 'Only records of one machine can be merged')])
    if (inOrder.length < 2)
      throw validationError([fieldError('records', 'InvalidDataItem', 'records: at least 2 required')])
    const reason = reasonId ?? inOrder.map(({ record }) => present(record.reasonCode)).find(code => code !== null)
    if (reason === undefined || reason === null)
      throw validationError([
        fieldError('reasonId', 'Required', 'None of the records has a reason: reasonId is required'),
      ])
    const span = { ...spanOf(last, at), startAt: spanOf(first, at).startAt }
    return [changeOf(span, { reasonId: reason, note })]
  },
})

function changeOf(
  span: ReturnType<typeof spanOf>,
  { reasonId, note }: { readonly reasonId: number | null; readonly note: string | undefined },
): Change {
  return { ...span, reasonId, ...(note !== undefined && { note }) }
}

function spanOf({ machine, record, untilAt, endsWithStop }: FoundRecord, at: (ms: number | null) => string) {
  return { machineId: machine.id, startAt: at(record.startMs), endAt: untilAt, endsWithStop }
}

/** The id of a stored reason code; null: no user has assigned one. */
function present(reasonCode: number): number | null {
  return reasonCode > 0 ? reasonCode : null
}

export const downtimeRecordRoutes = [listRecords, listMicrostops, categorize, split, merge]
