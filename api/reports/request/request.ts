import type { FilterName, GroupingName, ReportName } from '../../../schema/groupings.ts'
import type { MetricName } from '../../../schema/metrics.ts'
import type { AlarmMetricName } from '../../../schema/event-metrics.ts'

/** A valid report request: the input of all stages after parsing. */
export interface ReportRequest {
  readonly report: ReportName
  readonly range: RequestedRange
  /** Outermost first, without repetition. */
  readonly groupBy: readonly GroupingName[]
  /** Ids per dimension (`none` included); a dimension without ids is missing. */
  readonly filters: ReportFilters
  readonly csv: boolean
  /** Format of the file; CSV unless given. */
  readonly format?: 'parquet'
  /** Items as a flat list of rows. */
  readonly flatten: boolean
}

export interface ProductionRequest extends ReportRequest {
  readonly report: 'production'
  /** In the order of the answer, without repetition. */
  readonly metrics: readonly MetricName[]
}

export interface AlarmRequest extends ReportRequest {
  readonly report: 'alarm'
  /** In the order of the answer, without repetition. */
  readonly metrics: readonly AlarmMetricName[]
  /** Alarms with one of these values are left out, whatever the filters say. */
  readonly rejects: ReportFilters
}

export type ReportFilters = { readonly [Name in FilterName]?: readonly string[] }

/** Instants are UTC ms; days are shop dates `YYYY-MM-DD`, both included. */
export type RequestedRange =
  | { readonly form: 'instants'; readonly startMs: number; readonly endMs: number }
  | { readonly form: 'days'; readonly startDay: string; readonly endDay: string }
