import type { EventMetricName } from '../../schema/event-metrics.ts'
import { compileDowntime } from './compile/downtime.ts'
import { downtimeRows } from './fold/downtime-rows.ts'
import { reasonResolver } from './groupings/reasons.ts'
import { type DowntimePlan, planDowntime } from './plan/downtime.ts'
import { eventColumns, eventValues } from './present/event-values.ts'
import type { EventReport } from './report.ts'
import { parseByReason } from './request/parse.ts'
import type { ReportRequest } from './request/request.ts'

const values: readonly EventMetricName[] = ['downtimeMs', 'recordCount']

/** `POST /reports/downtime`: down time, and records of it. */
export const downtimeReport: EventReport<ReportRequest, DowntimePlan> = {
  name: 'downtime',
  parse: body => parseByReason('downtime', body),
  plan: planDowntime,
  sources: { mostStaleMachines: 0, splitsHours: false },
  compile: compileDowntime,
  entityResolvers: ({ view }) => ({ reason: reasonResolver(view.reasons) }),
  rows: downtimeRows,
  values: (_, folded) => eventValues('downtime', folded, values),
  columns: () => eventColumns('downtime', values),
}
