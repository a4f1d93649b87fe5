import { type ApiError, fieldError, validationError } from '../../schema/errors.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type {
  DowntimeRecordResponse,
  DowntimeRecordsQuery,
  MicrostopsResponse,
} from '../../schema/requests/downtime-records.ts'
import {
  type MachineMetrics,
  type MachineTimeline,
  type MetricValues,
  type MetricValuesQuery,
  maxTimelineDays,
  pointLimits,
  type TimelineQuery,
} from '../../schema/requests/machine-timeline.ts'
import { type MachineStates, type MachineStatesInput, stateLimits } from '../../schema/requests/machine-states.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import type { CompanyView } from './company/company-view.ts'
import type { RecordKey } from './downtime-records/compile.ts'
import { type DowntimeRecord, findRecords, presentRecords, readRecords } from './downtime-records/read.ts'
import { cursorText, recordsRequest } from './downtime-records/request.ts'
import { readMetrics, readMetricValues } from './machine-timeline/metric-values.ts'
import { readTimeline, type TimelineRequest } from './machine-timeline/read.ts'
import { readStates, type StatesRequest } from './machine-timeline/states.ts'
import { readMicrostops } from './microstops.ts'
import { clampInstants } from './plan/plan.ts'
import type { ReportQueries } from './pipeline.ts'
import { rangeTooLarge } from './query/query.ts'

/**
 * Runs a read with guarded queries (`name`: for the log of the store) within the limits of the company's concurrent reads and of their
 * duration. Rejects with 404 for an unknown company, and with `tooLarge` if a query exceeds the limits.
 */
export type Read = <T>(
  name: string,
  companyId: string,
  signal: AbortSignal | undefined,
  work: (view: CompanyView, queries: ReportQueries) => Promise<T>,
  tooLarge?: () => ApiError,
) => Promise<T>

export interface PlantReaderDeps {
  /** UTC ms. */
  readonly clock: () => number
  /** Resolves when the samples up to `toMs` that were accepted before are in the store, or a moment has passed. */
  readonly recentSamples?: (toMs: number) => Promise<void>
  readonly read: Read
}

/** A page of downtime records. `next`: where the next page begins; null: there is none. */
export interface RecordsPage {
  readonly records: readonly DowntimeRecordResponse[]
  readonly next: string | null
  /** Query of this page: the next page must use the same. */
  readonly used: Required<Pick<DowntimeRecordsQuery, 'start' | 'end' | 'orderBy' | 'direction'>>
}

interface Options {
  readonly signal?: AbortSignal
}

/** Reads data of machines from documents and samples that is not in reports. All methods reject as reports do. */
export interface PlantReader {
  downtimeRecords(companyId: string, query: DowntimeRecordsQuery, options?: Options): Promise<RecordsPage>
  /** Number and time of the microstops of each machine that has some. */
  microstops(companyId: string, query: DowntimeRecordsQuery, options?: Options): Promise<readonly MicrostopsResponse[]>
  /** Finds the existing records with these keys. */
  findDowntimeRecords(
    companyId: string,
    keys: readonly RecordKey[],
    options?: Options,
  ): Promise<readonly DowntimeRecord[]>
  timeline(machine: MachineRecord, query: TimelineQuery, options?: Options): Promise<MachineTimeline>
  /** The states of existing machines in steps; other ids are ignored. */
  states(companyId: string, input: MachineStatesInput, options?: Options): Promise<MachineStates>
  metricValues(machine: MachineRecord, query: MetricValuesQuery, options?: Options): Promise<MetricValues>
  metrics(machine: MachineRecord, options?: Options): Promise<MachineMetrics>
}

export function createPlantReader(deps: PlantReaderDeps): PlantReader {
  const { recentSamples = async () => undefined } = deps
  const read = <T>(
    companyId: string,
    { signal }: Options,
    work: (context: ReportQueries & { readonly view: CompanyView }) => Promise<T>,
  ) => deps.read('machines', companyId, signal, (view, queries) => work({ ...queries, view }), rangeTooLarge)
  return {
    downtimeRecords: (companyId, query, options = {}) =>
      read(companyId, options, async context => {
        const { view } = context
        const request = recordsRequest(query, view)
        const found = await readRecords({ ...request, limit: request.limit + 1 }, context)
        const page = found.slice(0, request.limit)
        const last = found.length > page.length ? page.at(-1) : undefined
        const { range, orderBy, direction } = request
        const inRangeMs = orderBy === 'duration' ? (last?.inRangeMs ?? 0) : 0
        return {
          records: await presentRecords(page, context),
          next: last ? cursorText({ ...last, inRangeMs }, request) : null,
          used: { start: isoText(range.startMs), end: isoText(range.endMs), orderBy, direction },
        }
      }),
    microstops: (companyId, query, options = {}) => read(companyId, options, context => readMicrostops(query, context)),
    findDowntimeRecords: (companyId, keys, options = {}) =>
      read(companyId, options, context => findRecords(keys, context)),
    timeline: (machine, query, options = {}) =>
      read(machine.companyId, options, context =>
        readTimeline(timelineRequest(machine, query, context.view.nowMs), context),
      ),
    states: (companyId, input, options = {}) =>
      read(companyId, options, async context => readStates(statesRequest(input, context.view), context)),
    metricValues: async (machine, query, options = {}) => {
      await recentSamples(Date.parse(toInstant(query.end)))
      return read(machine.companyId, options, async context => {
        const { key, type, subtype } = query
        const request = { ...timelineRequest(machine, query, context.view.nowMs), key, type, subtype }
        return readMetricValues(context.view.company.ref, request, context)
      })
    },
    metrics: async (machine, options = {}) => {
      await recentSamples(deps.clock())
      return read(machine.companyId, options, context => readMetrics(context.view.company.ref, machine, context))
    },
  }
}

/** Throws an `ApiError` 400 if the range is invalid. */
function timelineRequest(machine: MachineRecord, query: TimelineQuery, nowMs: number): TimelineRequest {
  const range = rangeOf(query, maxTimelineDays)
  return { machine, range: clampInstants(range, nowMs), points: query.points ?? pointLimits.default }
}

/** Throws an `ApiError` 400 if the range is invalid. */
function statesRequest(input: MachineStatesInput, { machines }: CompanyView): StatesRequest {
  const ids = new Set(input.machineIds.map(id => id.toLowerCase()))
  return {
    machines: machines.filter(({ id }) => ids.has(id)),
    range: rangeOf(input, stateLimits.days),
    points: input.points ?? stateLimits.defaultPoints,
  }
}

/** A range of at most this number of days. Throws an `ApiError` 400 if it is invalid. */
function rangeOf({ start, end }: Pick<TimelineQuery, 'start' | 'end'>, maxDays: number): TimeRange {
  const [startMs, endMs] = [Date.parse(toInstant(start)), Date.parse(toInstant(end))]
  if (startMs >= endMs) throw validationError([fieldError('start', 'InvalidRange', 'start must be before end')])
  if (endMs - startMs > maxDays * dayMs)
    throw validationError([fieldError('start', 'OutOfRange', `start and end are more than ${maxDays} days apart`)])
  return { startMs, endMs }
}
