import { fault, validationError } from '../../schema/errors.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { DowntimeRecordAnswer, DowntimeRecordsQuery } from '../../schema/requests/downtime-records.ts'
import {
  type MachineMetrics,
  type MachineTimeline,
  type MetricValues,
  type MetricValuesQuery,
  mostTimelineDays,
  pointLimits,
  type TimelineQuery,
} from '../../schema/requests/machine-timeline.ts'
import type { Records } from '../../processors/records/records.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { toInstant } from '../../shared/time/instant.ts'
import { dayMs } from '../../shared/time/units.ts'
import { type Asking, askingFor, type QueryLimits } from './ask/asking.ts'
import type { CompanyView } from './company/company-view.ts'
import type { RecordKey } from './downtime-records/compile.ts'
import { recordPresenter } from './downtime-records/present.ts'
import { type DowntimeRecord, findRecords, readRecords } from './downtime-records/read.ts'
import { cursorText, recordsRequest } from './downtime-records/request.ts'
import { readMetrics, readMetricValues } from './machine-timeline/metric-values.ts'
import { readTimeline, type TimelineRequest } from './machine-timeline/read.ts'
import { usedInstants } from './plan/range.ts'
import { explained, rangeTooLarge } from './run/too-large.ts'
import type { MissingDeps } from './sources/provisional-documents.ts'

export interface PlantReaderDeps extends MissingDeps {
  readonly records: Records
  /** UTC ms. */
  readonly clock: () => number
  readonly limits?: QueryLimits
  /** The records of the company; throws 404 for an unknown company. */
  readonly viewOf: (companyId: string) => CompanyView
  /** Limits the concurrent reads of each company. */
  readonly gate: <T>(companyId: string, work: () => Promise<T>) => Promise<T>
}

/** A page of downtime records. `next`: where the next page begins; null: there is none. */
export interface RecordsPage {
  readonly records: readonly DowntimeRecordAnswer[]
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
  /** Finds the records with these keys; leaves out those that are not there. */
  findDowntimeRecords(
    companyId: string,
    keys: readonly RecordKey[],
    options?: Options,
  ): Promise<readonly DowntimeRecord[]>
  timeline(machine: MachineRecord, query: TimelineQuery, options?: Options): Promise<MachineTimeline>
  metricValues(machine: MachineRecord, query: MetricValuesQuery, options?: Options): Promise<MetricValues>
  metrics(machine: MachineRecord, options?: Options): Promise<MachineMetrics>
}

export function createPlantReader(deps: PlantReaderDeps): PlantReader {
  const ask = <T>(
    companyId: string,
    { signal }: Options,
    read: (asked: Asking & { readonly view: CompanyView; readonly nowMs: number }) => Promise<T>,
  ): Promise<T> =>
    deps.gate(companyId, () => {
      const view = deps.viewOf(companyId)
      const asking = askingFor(deps, { companyRef: view.company.ref, report: 'machines' }, signal)
      return explained(read({ ...asking, view, nowMs: deps.clock() }), rangeTooLarge)
    })
  return {
    downtimeRecords: (companyId, query, options = {}) =>
      ask(companyId, options, async asked => {
        const request = recordsRequest(query, asked.view, asked.nowMs)
        const found = await readRecords({ ...request, limit: request.limit + 1 }, { ...deps, ...asked })
        const page = found.slice(0, request.limit)
        const last = found.length > page.length ? page.at(-1) : undefined
        const present = recordPresenter(asked.view, id => deps.records.annotationsOf(id), asked.nowMs)
        const { range, orderBy, direction } = request
        const inRangeMs = orderBy === 'duration' ? (last?.inRangeMs ?? 0) : 0
        return {
          records: page.map(present),
          next: last ? cursorText({ ...last, inRangeMs }, request) : null,
          used: { start: isoText(range.startMs), end: isoText(range.endMs), orderBy, direction },
        }
      }),
    findDowntimeRecords: (companyId, keys, options = {}) =>
      ask(companyId, options, asked => findRecords(keys, { ...deps, ...asked })),
    timeline: (machine, query, options = {}) =>
      ask(machine.companyId, options, asked =>
        readTimeline(timelineRequest(machine, query, asked.nowMs), { ...deps, ...asked }),
      ),
    metricValues: (machine, query, options = {}) =>
      ask(machine.companyId, options, asked => {
        const { key, type, subtype } = query
        const request = {
          ...timelineRequest(machine, query, asked.nowMs),
          key,
          ...(type !== undefined && { type }),
          ...(subtype !== undefined && { subtype }),
        }
        return readMetricValues(asked.view.company.ref, request, asked)
      }),
    metrics: (machine, options = {}) =>
      ask(machine.companyId, options, asked => readMetrics(asked.view.company.ref, machine, asked)),
  }
}

/** Throws an `ApiError` 400 if the range is invalid. */
function timelineRequest(machine: MachineRecord, query: TimelineQuery, nowMs: number): TimelineRequest {
  const [startMs, endMs] = [Date.parse(toInstant(query.start)), Date.parse(toInstant(query.end))]
  if (startMs >= endMs) throw validationError([fault('start', 'InvalidRange', 'start must be before end')])
  if (endMs - startMs > mostTimelineDays * dayMs)
    throw validationError([fault('start', 'OutOfRange', `start and end are more than ${mostTimelineDays} days apart`)])
  return { machine, range: usedInstants({ startMs, endMs }, nowMs), points: query.points ?? pointLimits.usual }
}
