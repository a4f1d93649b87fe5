import type { EventMetricName } from '../../schema/event-metrics.ts'
import { compileDowntime } from './compile/downtime.ts'
import { downtimeRows } from './fold/event-rows.ts'
import { reasonResolver } from './groupings/entity-resolvers.ts'
import { type DowntimePlan, planDowntime } from './plan/downtime.ts'
import { eventColumns, eventValues } from './present/event-values.ts'
import type { EventReport } from './report.ts'
import { parseByReason, type ReportRequest } from './request/parse.ts'

const values: readonly EventMetricName[] = ['downtimeMs', 'recordCount']

/** `POST /reports/downtime`: downtime and its records. */
export const downtimeReport: EventReport<ReportRequest, DowntimePlan> = {
  name: 'downtime',
  parse: body => parseByReason('downtime', body),
  plan: planDowntime,
  sources: { maxStaleMachines: 0, splitsHours: false },
  compile: compileDowntime,
  entityResolvers: ({ view }) => ({ reason: reasonResolver(view.reasons) }),
  rows: downtimeRows,
  values: (_, folded) => eventValues('downtime', folded, values),
  columns: () => eventColumns('downtime', values),
}
