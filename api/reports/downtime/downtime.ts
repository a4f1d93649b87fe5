import { makeMissing } from '../ask.ts'
import { findsNothing } from '../events/plan.ts'
import { reasonFinder } from '../events/reason.ts'
import type { EventReport } from '../events/report.ts'
import { type Finders, finders } from '../entities.ts'
import { parseByReason } from '../parse.ts'
import type { CompanyView } from '../company-view.ts'
import type { ReportRequest } from '../request.ts'
import { compileDowntime, downtimeColumns } from './compile.ts'
import { readFromDays } from './days.ts'
import { type DowntimePlan, planDowntime } from './plan.ts'
import { rowsOf } from './rows.ts'

/** `POST /reports/downtime`. */
export const downtimeReport: EventReport<ReportRequest, DowntimePlan> = {
  name: 'downtime',
  parse: body => parseByReason('downtime', body),
  values: () => ['downtimeMs', 'recordCount'],
  plan: planDowntime,
  async read(plan, view, deps) {
    const found = downtimeFinders(view)
    if (findsNothing(plan, plan.reasons)) return { rows: [], finders: found }
    const { isWhole, provisional } = await makeMissing({ ...plan, range: plan.readRange }, view, deps)
    const planned = isWhole ? await readFromDays(plan, deps) : plan
    const columns = await deps.store.numbers(compileDowntime(planned, provisional), downtimeColumns, deps.options)
    return { rows: rowsOf(columns), finders: found }
  },
}

/** How downtime leads to the groupings that only it has, and to job operations: its rows are told apart by them, not by run. */
export function downtimeFinders({ reasons }: CompanyView): Finders {
  return { reason: reasonFinder(reasons), jobOperation: finders.jobOperation }
}
