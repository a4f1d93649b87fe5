import { float, int, wide } from '../../../clickhouse/client/kinds.ts'
import type { RowOf } from '../../../clickhouse/client/rows.ts'
import { parseByReason } from '../parse.ts'
import { reasonFinder } from '../events/reason.ts'
import type { EventRow } from '../events/groups.ts'
import { findsNothing } from '../events/plan.ts'
import type { EventReport } from '../events/report.ts'
import type { ReportRequest } from '../request.ts'
import { askDocuments } from '../ask.ts'
import { compileQuality } from './compile.ts'
import { planQuality, type QualityPlan } from './plan.ts'

const answerShape = {
  k_machine: int,
  k_reason: int,
  k_cell: int,
  k_shift: int,
  k_run: int,
  rejected: float,
  records: wide,
} as const

/** `POST /reports/quality`. */
export const qualityReport: EventReport<ReportRequest, QualityPlan> = {
  name: 'quality',
  parse: body => parseByReason('quality', body),
  values: () => ['rejectCount', 'recordCount'],
  plan: planQuality,
  async read(plan, view, deps) {
    const finders = { reason: reasonFinder(view.adjustmentTypes) }
    if (findsNothing(plan, plan.reasons)) return { rows: [], finders }
    const answer = await askDocuments(plan, view, provisional => compileQuality(plan, provisional), answerShape, deps)
    return { rows: rowsOf(answer), finders }
  },
}

function rowsOf(answer: readonly RowOf<typeof answerShape>[]): readonly EventRow[] {
  return answer.map(row => {
    const keys = {
      machine: row.k_machine,
      reason: row.k_reason,
      cell: row.k_cell,
      shift: row.k_shift,
      run: row.k_run,
    }
    return { records: row.records, parts: [{ keys, amount: row.rejected }] }
  })
}
