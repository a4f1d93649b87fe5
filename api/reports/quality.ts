import type { EventMetricName } from '../../schema/event-metrics.ts'
import { rowsOf } from './fold/fold.ts'
import { operationOfRun, reasonResolver, reasonCodes } from './groupings/entity-resolvers.ts'
import { keyNames, keepsNothing, planReport, type ReportPlan } from './plan/plan.ts'
import { eventColumns, eventValues } from './present/event-values.ts'
import type { EventReport } from './report.ts'
import { parseByReason, type ReportRequest } from './request/parse.ts'
import type { FilterView } from './company/job-runs.ts'
import { array, int32, int64, join, type Sql, sql } from '../../clickhouse/sql/sql.ts'
import type { Sources } from './sources/sources.ts'
import {
  documentScope,
  overHours,
  slotMs,
  unionAll,
  groupedBy,
  keyColumn,
  elementConditions,
  keyColumns,
} from './compile/select.ts'
import { type Query, resultColumns } from './query/query.ts'

const values: readonly EventMetricName[] = ['rejectCount', 'recordCount']

/** `POST /reports/quality`: rejected parts. An adjustment has one instant, so that it is in one group and all values are additive. */
export const qualityReport: EventReport<ReportRequest, QualityPlan> = {
  name: 'quality',
  parse: body => parseByReason('quality', body),
  plan: planQuality,
  sources: { maxStaleMachines: null, splitsHours: false },
  compile: compileQuality,
  entityResolvers: ({ view }) => ({ reason: reasonResolver(view.adjustmentTypes), jobOperation: operationOfRun }),
  rows: (plan, columns) => rowsOf(keyNames(plan), [['amount', 'add'], ['records', 'add']], columns), // prettier-ignore
  values: (_, folded) => eventValues('quality', folded, values),
  columns: () => eventColumns('quality', values),
}

interface QualityPlan extends ReportPlan {
  /** Ids of adjustment types, 0: without one; null: all. */
  readonly reasons: readonly number[] | null
}

/** Pure: plans the query of the request. Rows are grouped by job run, which determines the operation. */
export function planQuality(request: ReportRequest, view: FilterView): QualityPlan {
  const plan = planReport(request, view)
  const reasons = reasonCodes(request.filters.reason, view.adjustmentTypes)
  return {
    ...plan,
    keys: { ...plan.keys, run: plan.keys.operation, operation: false },
    matchesNothing: plan.matchesNothing || keepsNothing([reasons]),
    reasons,
  }
}

/** Pure. One row per combination of keys, over the adjustments that reject parts: keys, rejects and records. */
export function compileQuality(plan: QualityPlan, sources: Sources): Query {
  const keys = keyNames(plan)
  const sums = sql`toFloat64(sum(rejects)) AS rejected, toFloat64(count()) AS record_count`
  return {
    sql: sql`
SELECT ${join([...keys.map(keyColumn), sums])}
FROM (${adjustments(plan, sources)})
${groupedBy(keys.map(keyColumn))}`,
    columns: resultColumns(keys, 'rejected', 'record_count'),
  }
}

function adjustments(plan: QualityPlan, sources: Sources): Sql {
  const { range, filters, reasons } = plan
  const where = [
    sql`rejects != 0`,
    sql`at_ms >= ${int64(range.startMs)}`,
    sql`at_ms < ${int64(range.endMs)}`,
    ...elementConditions(filters),
    ...(reasons ? [sql`reason IN ${array(int32, reasons)}`] : []),
  ]
  const unfold = [
    sql`adjustment_shift, adjustment_run, adjustment_at, adjustment_cell, adjustment_type, adjustment_scrap, adjustment_nonconform`,
  ]
  const columns = [
    sql`adjustment_shift AS shift, adjustment_run AS run, adjustment_type AS reason, ${slotMs} + adjustment_at AS at_ms`,
    sql`toUnixTimestamp(slot) + intDiv(adjustment_cell, 1000) AS at, adjustment_scrap + adjustment_nonconform AS rejects`,
    ...keyColumns(plan),
  ]
  const selects = sources.whole.map(hours =>
    overHours(
      documentScope(plan, sources),
      hours,
      { unfold, where },
      rows => sql`
  SELECT ${join(columns)}
  ${rows}`,
    ),
  )
  return join(selects, unionAll)
}
