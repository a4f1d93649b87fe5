import { makeMissing } from '../ask.ts'
import { findsNothing } from '../events/plan.ts'
import { reasonFinder } from '../events/reason.ts'
import type { EventReport } from '../events/report.ts'
import { type Finders, finders } from '../entities.ts'
import { parseByReason } from '../parse.ts'
import type { Plant } from '../plant.ts'
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
  async read(plan, plant, deps) {
    const found = downtimeFinders(plant)
    if (findsNothing(plan, plan.reasons)) return { rows: [], finders: found }
    const { isWhole, provisional } = await makeMissing({ ...plan, range: plan.readRange }, plant, deps)
    const planned = isWhole ? await readFromDays(plan, deps) : plan
    const columns = await deps.store.numbers(compileDowntime(planned, provisional), downtimeColumns, deps.options)
    return { rows: rowsOf(columns), finders: found }
  },
}

/** How downtime leads to the groupings that only it has, and to job operations: its rows are told apart by them, not by run. */
export function downtimeFinders({ reasons }: Plant): Finders {
  return { reason: reasonFinder(reasons), jobOperation: finders.jobOperation }
}
