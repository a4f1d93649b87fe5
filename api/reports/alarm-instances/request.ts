import type { directions, orders } from '../../../schema/requests/alarm-instances.ts'
import type { reportDimensions } from '../../../schema/groupings.ts'
import type { ReportRequest } from '../request/request.ts'

export type AlarmConditionName = (typeof reportDimensions.alarm.filters)[number]
export type PageDirection = (typeof directions)[number]
export type Order = (typeof orders)[number]

/** A valid request for a page of alarm instances. */
export interface AlarmInstancesRequest {
  readonly from: PageStart
  readonly direction: PageDirection
  /** `id` only with a `startId`. */
  readonly orderBy: Order
  readonly limit: number
  /** Instances must have one of the values of each condition named. */
  readonly filter: AlarmConditions
  /** Instances must have none of the values. */
  readonly reject: AlarmConditions
  /** The page is wanted as a file too. */
  readonly file?: Pick<ReportRequest, 'csv' | 'format'>
}

/** `start` (UTC ms): instances from it on, or before it; `startId`: after or before that instance, in the order asked for. */
export type PageStart =
  { readonly form: 'start'; readonly startMs: number } | { readonly form: 'startId'; readonly startId: number }

/** A condition without values is missing. */
export type AlarmConditions = { readonly [Name in AlarmConditionName]?: readonly string[] }
