import type { FileFormat } from '../../schema/requests/report.ts'
import type { FlatRequest } from './production.ts'

/** Metrics that the application asks the alarm report for. */
export const alarmMetrics = ['durationMs', 'recordCount', 'machineCount'] as const

/** Values of a group of alarms. */
export type AlarmValues = Readonly<Record<(typeof alarmMetrics)[number], number>>

/** An alarm report as the application asks for it: flat rows. */
export type AlarmReportBody = FlatRequest & { readonly data: typeof alarmMetrics }

/** A page of alarms, newest first: those before an instant, or before an alarm. */
export interface AlarmInstancesQuery {
  readonly start?: string
  readonly startId?: number
  readonly direction: 'DESC'
  readonly limit: number
  readonly filter: FlatRequest['filter']
  readonly csv?: true
  readonly format?: FileFormat
}
