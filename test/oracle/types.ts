import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { DowntimeReasonRecord } from '../../schema/records/downtime-reason.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { MachineGroupRecord } from '../../schema/records/machine-group.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRecord } from '../../schema/records/operator.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord } from '../../schema/records/part-adjustment-type.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { WireSample } from '../../schema/topics.ts'

/** All inputs of a company's reports, besides the request. */
export interface OraclePlant {
  readonly company: CompanySettings
  readonly machines: readonly MachineRecord[]
  readonly schedules: readonly ScheduleRecord[]
  readonly operations: readonly JobOperationRecord[]
  readonly runs: readonly JobRunRecord[]
  readonly operators: readonly OperatorRecord[]
  readonly operatorRuns: readonly OperatorRunRecord[]
  /** Annotations as stored: those of one machine never overlap. */
  readonly annotations: readonly AnnotationRecord[]
  readonly reasons: readonly DowntimeReasonRecord[]
  readonly adjustments: readonly PartAdjustmentRecord[]
  readonly adjustmentTypes: readonly PartAdjustmentTypeRecord[]
  readonly groups: readonly MachineGroupRecord[]
  /** Samples in any order, with any repeats. */
  readonly samples: readonly WireSample[]
  /** Current time of the plant, UTC ms. */
  readonly nowMs: number
}

export type ReportKind = 'production' | 'downtime' | 'quality' | 'alarm'

/**
 * A valid request: `report` determines the route, the other properties are the body. Filters by `nativeCodeId` contain
 * results of the function `nativeCodeId`.
 */
export interface OracleRequest {
  readonly report: ReportKind
  readonly start?: string
  readonly end?: string
  readonly startDay?: string
  readonly endDay?: string
  /** Metrics of production and alarm reports. */
  readonly data?: readonly { readonly metric: string }[]
  readonly groupBy?: readonly { readonly group: string }[]
  readonly filter?: Readonly<Record<string, readonly string[]>>
  /** Conditions that exclude alarms from an alarm report. */
  readonly reject?: Readonly<Record<string, readonly string[]>>
}

export type MetricValue = number | string | null
export type Aggregate = Readonly<Record<string, MetricValue>>
export type Entity = Readonly<Record<string, unknown>>

export interface ReportItem {
  readonly entity: { readonly type: string; readonly id: string }
  readonly aggregate: Aggregate
  readonly items?: readonly ReportItem[]
}

/**
 * A report. The id of a `nativeCode` entity is a result of `nativeCodeId`, because the integers of the product cannot
 * be predicted.
 */
export interface ReportAnswer {
  readonly range: { readonly start: string; readonly end: string }
  readonly aggregate: Aggregate
  readonly entities: Readonly<Record<string, Readonly<Record<string, Entity>>>>
  readonly items: readonly ReportItem[]
}

/** A half-open interval, UTC ms. */
export interface Interval {
  readonly startMs: number
  readonly endMs: number
}
