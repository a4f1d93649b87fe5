import type { AlarmInstancesResponse, AlarmInstanceRow } from '../../../schema/requests/alarm-instances.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { Files } from '../../files/files.ts'
import type { CompanyView } from '../company/company-view.ts'
import { readNativeCodes } from '../groupings/entity-resolvers.ts'
import type { QueryContext } from '../query/query.ts'
import { parseAlarmInstances, nativeCodeIds, planAlarmInstances, type AlarmInstancesRequest } from './plan.ts'
import { readInstances, type FoundInstance } from './run.ts'
import type { FileColumn, FileRange, FileTable } from '../../files/table.ts'

/**
 * Creates a page of a company's alarm instances from the body of its request, and its file if the request names one. Rejects with an
 * `ApiError`: 400 with every field error, 503 if the processors lag too far; or with a `StoreError`.
 */
export async function reportAlarmInstances(
  body: unknown,
  view: CompanyView,
  queries: QueryContext & { readonly files: Pick<Files, 'create'> },
): Promise<AlarmInstancesResponse> {
  const request = parseAlarmInstances(body)
  const { company, nowMs } = view
  const natives = await readNativeCodes(company.ref, nativeCodeIds(request), queries)
  const found = await readInstances(planAlarmInstances(request, view, natives), view, queries)
  const page = presentInstances(request, found, nowMs)
  if (!request.file) return page
  const [report, table] = ['alarm/instances', instancesTable(page)] as const
  const { signal } = queries.options
  const range = rangeOf(found, nowMs)
  const csv = await queries.files.create({ company, report, format: request.file, range, table, signal })
  return { ...page, csv, range: { ...page.range, end: isoText(nowMs) } }
}

/** From the earliest start of a page to the latest one. */
function rangeOf(found: readonly FoundInstance[], nowMs: number): FileRange {
  const starts = found.map(({ instance }) => instance.startMs).sort((a, b) => a - b)
  return { form: 'instants', startMs: starts.at(0) ?? nowMs, endMs: starts.at(-1) ?? nowMs }
}

/** Pure: the response of `POST /reports/alarm/instances`. */
function presentInstances(
  { from, limit, direction }: AlarmInstancesRequest,
  found: readonly FoundInstance[],
  nowMs: number,
): AlarmInstancesResponse {
  return {
    entities: { machine: Object.fromEntries(found.map(({ machine: { id, name } }) => [id, { id, name }])) },
    range: {
      start: from.form === 'start' ? isoText(from.startMs) : null,
      limit,
      direction,
      startId: from.form === 'startId' ? from.startId : null,
    },
    instances: found.map(instance => rowOf(instance, nowMs)),
  }
}

function rowOf({ instance, machine, endMs }: FoundInstance, nowMs: number): AlarmInstanceRow {
  const { id, level, nativeCode, message, startMs } = instance
  return {
    alarmId: id,
    durationMs: (endMs ?? nowMs) - startMs,
    state: level,
    machineId: machine.id,
    nativeCode,
    message,
    start: isoText(startMs),
    end: endMs === null ? null : isoText(endMs),
  }
}

/** The columns of a page's file. */
export const instanceColumns: readonly FileColumn[] = [
  { name: 'alarmId', title: 'Alarm id', kind: 'integer' },
  { name: 'machineId', title: 'Machine id', kind: 'text' },
  { name: 'machine', title: 'Machine', kind: 'text' },
  { name: 'state', title: 'State', kind: 'text' },
  { name: 'nativeCode', title: 'Native code', kind: 'text' },
  { name: 'message', title: 'Message', kind: 'text' },
  { name: 'start', title: 'Start', kind: 'instant' },
  { name: 'end', title: 'End', kind: 'instant' },
  { name: 'durationMs', title: 'Duration', kind: 'ms' },
]

/** Pure: the instances of a page as rows of a file. */
function instancesTable({ instances, entities }: AlarmInstancesResponse): FileTable {
  const rows = instances.map(instance => {
    const { alarmId, machineId, state, nativeCode, message, start, end, durationMs } = instance
    const machine = entities.machine[machineId]?.name ?? null
    return [alarmId, machineId, machine, state, nativeCode, message, start, end, durationMs]
  })
  return { columns: instanceColumns, rows }
}
