import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { DowntimeRecordResponse, MicrostopsResponse } from '../../../schema/requests/downtime-records.ts'
import type { Client } from '../../data/client.ts'
import { idParts, maxIds } from '../../data/id-parts.ts'
import { filterBy, type FlatReport, type FlatRequest, idIn } from '../../data/production.ts'
import { inGroupOrder } from '../../data/reason-groups.ts'
import { hasScope, type Viewer } from '../../data/viewer.ts'
import { machinesOf } from '../../reports/machine-filters.tsx'
import type { ReportRange } from '../../time/period.ts'
import type { TimeSpan } from './undo.ts'
import { type ListRow, listRows, maxRows, stopsIn } from './list-rows.ts'
import type { DowntimeView } from './view.ts'

/** Range, reasons and machines (null: all) of a list. */
export interface ListQuery {
  readonly start: string
  readonly end: string
  readonly reason: readonly string[]
  readonly machineIds: readonly string[] | null
}

type Sums = Readonly<{ downtimeMs: number; recordCount: number }>

/** Report by reason and stops of a view. */
export interface DowntimeData {
  /** View of the request; the user may have selected another one since. */
  readonly key: string
  /** Range and machines that the reports are of: reports that differ in it cannot be compared. */
  readonly part: string
  readonly byReason: FlatReport<Sums>
  /** Range and filter of the reports. */
  readonly asked: FlatRequest
  readonly rows: readonly ListRow[]
  /** Whether there are more stops than those of the list. */
  readonly hasMore: boolean
  /** Range and filters of the list. */
  readonly list: ListQuery
  /** Why there is no list; null: there is one. The service lists a shorter range than it reports on. */
  readonly listError: unknown
  /** Assignable reasons of all machines, in the order of the palette. */
  readonly reasons: readonly DowntimeReasonResponse[]
  readonly machines: readonly MachineListItem[]
}

/**
 * Loads the report by reason and the stops of a view, side by side, and then its short stops: `show` gets the data without
 * them, unless there are no other stops.
 */
export async function loadDowntime(
  viewer: Viewer,
  key: string,
  view: DowntimeView,
  range: ReportRange,
  show: (data: DowntimeData) => void,
): Promise<DowntimeData> {
  const { client } = viewer
  const filter = filterBy({ machine: view.machines, machineGroup: view.groups })
  const asked = { ...range, filter, flatten: true } as const
  const ofReasons = client.call('POST /reports/downtime', { body: { ...asked, groupBy: ['reason'] } })
  const ofMachines = client.call('GET /machines', { query: { includeDecommissioned: 'true' } })
  const reason = view.reason === 'all' ? [] : [view.reason]
  // The list takes machines instead of groups.
  const ofMachineIds =
    view.groups.length === 0 ? machinesOf(view, []) : ofMachines.then(known => machinesOf(view, known))
  const ofStops = attempt(async () => loadStops(client, { ...range, reason }, await ofMachineIds, view.order))
  const [byReason, machines, machineIds, stops, reasons] = await Promise.all([
    ofReasons,
    ofMachines,
    ofMachineIds,
    ofStops,
    hasScope(viewer, 'annotation.read') ? client.call('GET /downtime-reasons') : [],
  ])
  const withShort = (short: Attempt<readonly MicrostopsResponse[]>): DowntimeData => {
    const listError = stops.error ?? short.error
    const rows = listError === null ? listRows(stops.value ?? [], short.value ?? [], view.order) : []
    return {
      key,
      part: JSON.stringify([range, filter]),
      byReason,
      asked,
      rows,
      hasMore: (stops.value?.length ?? 0) >= maxRows,
      list: { ...byReason.range, reason, machineIds },
      listError,
      reasons: inGroupOrder(reasons.filter(({ hidden }) => !hidden)),
      machines,
    }
  }
  if (stops.value !== null && stops.value.length > 0) show(withShort({ value: [], error: null }))
  return withShort(await attempt(() => loadMicrostops(client, { ...range, reason }, machineIds)))
}

/** A value, or why there is none. */
interface Attempt<T> {
  readonly value: T | null
  readonly error: unknown
}

function attempt<T>(load: () => Promise<T>): Promise<Attempt<T>> {
  return load().then(
    value => ({ value, error: null }),
    (error: unknown) => ({ value: null, error }),
  )
}

type PartQuery = ReportRange & Pick<ListQuery, 'reason'>

function loadStops(client: Client, query: PartQuery, ids: ListQuery['machineIds'], order: DowntimeView['order']) {
  const page = { orderBy: order, direction: 'DESC', limit: String(maxRows), microstops: 'exclude' }
  return readRecords(client, ids, { ...query, ...page })
}

async function loadMicrostops(client: Client, query: PartQuery, ids: ListQuery['machineIds']) {
  const lists = await Promise.all(
    idParts(ids).map(machineId => client.call('GET /downtime-records/microstops', { query: { ...query, machineId } })),
  )
  return lists.flat()
}

/** Most stops of a file. */
export const maxOfFile = 50_000

/** All stops of a list by start, up to a limit for the whole list, and the short stops of each machine. */
export async function loadAll(client: Client, { start, end, reason, machineIds }: ListQuery) {
  const parts = idParts(machineIds).map(machineId => ({ start, end, reason, machineId }))
  const stops: DowntimeRecordResponse[] = []
  const microstops: MicrostopsResponse[] = []
  for (const query of parts) {
    const page = { ...query, microstops: 'exclude', limit: String(maxAround) }
    stops.push(...(await client.readPages('GET /downtime-records', page, maxOfFile - stops.length)))
    microstops.push(...(await client.call('GET /downtime-records/microstops', { query })))
  }
  return { stops: stops.toSorted((a, b) => a.startAt.localeCompare(b.startAt)), microstops }
}

/** Most stops that one request changes. */
export const maxChanged = 1000

/** The stops of rows: for the short stops of a machine its first ones, so many that all can be changed by one request. */
export async function loadStopsOf(
  client: Client,
  rows: readonly ListRow[],
  { start, end, reason }: ListQuery,
): Promise<readonly DowntimeRecordResponse[]> {
  const single = stopsIn(rows)
  const machineIds = rows.flatMap(({ kind, machineId }) => (kind === 'short' ? [machineId] : []))
  if (machineIds.length === 0) return single.slice(0, maxChanged)
  const query = { start, end, reason, orderBy: 'start', limit: String(maxChanged), microstops: 'only' }
  return [...single, ...(await readRecords(client, machineIds, query))].slice(0, maxChanged)
}

/** Downtime records of machines (null: of all), in as many requests as the addresses need. */
async function readRecords(
  client: Client,
  ids: readonly string[] | null,
  query: Readonly<Record<string, string | readonly string[]>>,
): Promise<readonly DowntimeRecordResponse[]> {
  const lists = await Promise.all(
    idParts(ids).map(machineId => client.call('GET /downtime-records', { query: { ...query, machineId } })),
  )
  return lists.flat()
}

/** The most that one request lists. */
const maxAround = 1000

/** All records of the stops' machines from the first stop to the last, and those that touch them; null: they are too many to read. */
export async function loadAround(
  client: Client,
  stops: readonly TimeSpan[],
): Promise<readonly DowntimeRecordResponse[] | null> {
  const startMs = Math.min(...stops.map(({ startAt }) => Date.parse(startAt)))
  const endMs = Math.max(...stops.map(({ endAt }) => (endAt === null ? client.now() : Date.parse(endAt))))
  const ids = [...new Set(stops.map(({ machineId }) => machineId))]
  if (ids.length > maxIds) return null
  const found = await readRecords(client, ids, {
    start: new Date(startMs - 1).toISOString(),
    end: new Date(endMs + 1).toISOString(),
    limit: String(maxAround),
  })
  return found.length < maxAround ? found : null
}

/** Downtime by the id of its reason, ms. */
export function timesOf({ byReason }: DowntimeData): ReadonlyMap<string, number> {
  return new Map(byReason.items.map(row => [idIn(row, 'reason'), row.downtimeMs]))
}
