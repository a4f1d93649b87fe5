import { presentEvents } from '../../../../api/reports/events/report.ts'
import { compileDowntime, downtimeColumns } from '../../../../api/reports/downtime/compile.ts'
import { downtimeFinders, downtimeReport } from '../../../../api/reports/downtime/downtime.ts'
import type { DowntimePlan } from '../../../../api/reports/downtime/plan.ts'
import { rowsOf } from '../../../../api/reports/downtime/rows.ts'
import type { Store } from '../../../../clickhouse/client/store.ts'
import type { circumstances, RecordBody } from '../events/support.ts'
import { wholeBody } from '../whole-body.ts'

type Given = ReturnType<typeof circumstances>

export function planOfDowntime(body: object, given: Given): DowntimePlan {
  return downtimeReport.plan(downtimeReport.parse(body), given)
}

/** The report that a plan leads to, of what the store has; records of job runs must be projected. */
export async function downtimeAnswer(body: object, plan: DowntimePlan, given: Given, from: Store): Promise<RecordBody> {
  const rows = rowsOf(await from.numbers(compileDowntime(plan, null), downtimeColumns))
  const { view } = given
  const found = { rows, finders: downtimeFinders(view) }
  return wholeBody(presentEvents(downtimeReport, downtimeReport.parse(body), { plan, view }, found).body)
}
