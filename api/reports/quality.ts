import type { EventMetricName } from '../../schema/event-metrics.ts'
import { compileQuality } from './compile/quality.ts'
import { rowsOf } from './fold/rows.ts'
import { operationOfRun } from './groupings/entity-resolvers.ts'
import { reasonResolver } from './groupings/reasons.ts'
import { keyNames } from './plan/plan.ts'
import { planQuality, type QualityPlan } from './plan/quality.ts'
import { eventColumns, eventValues } from './present/event-values.ts'
import type { EventReport } from './report.ts'
import { parseByReason } from './request/parse.ts'
import type { ReportRequest } from './request/request.ts'

const values: readonly EventMetricName[] = ['rejectCount', 'recordCount']

/** `POST /reports/quality`: parts rejected. An adjustment is at an instant, so that it lies in one place and all of it adds up. */
export const qualityReport: EventReport<ReportRequest, QualityPlan> = {
  name: 'quality',
  parse: body => parseByReason('quality', body),
  plan: planQuality,
  sources: { mostStaleMachines: null, splitsHours: false },
  compile: compileQuality,
  entityResolvers: ({ view }) => ({ reason: reasonResolver(view.adjustmentTypes), jobOperation: operationOfRun }),
  rows: (plan, columns) => rowsOf(keyNames(plan), [['amount', 'add'], ['records', 'add']], columns), // prettier-ignore
  values: (_, folded) => eventValues('quality', folded, values),
  columns: () => eventColumns('quality', values),
}
