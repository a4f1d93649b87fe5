import { parseByReason } from '../parse.ts'
import { reasonFinder } from '../counted/reason.ts'
import type { RecordRow } from '../counted/groups.ts'
import { findsNothing } from '../counted/plan.ts'
import type { RecordReport } from '../counted/report.ts'
import type { ReportRequest } from '../request.ts'
import { askDocuments } from '../ask.ts'
import { compileQuality } from './compile.ts'
import { planQuality, type QualityPlan } from './plan.ts'

type Answer = [
  ...[machine: number[], reason: number[], cell: number[], shift: number[], run: number[]],
  ...[rejects: number[], records: number[]],
]

/** `POST /reports/quality`. */
export const qualityReport: RecordReport<ReportRequest, QualityPlan> = {
  name: 'quality',
  parse: body => parseByReason('quality', body),
  values: () => ['rejectCount', 'recordCount'],
  plan: planQuality,
  async read(plan, plant, deps) {
    const finders = { reason: reasonFinder(plant.adjustmentTypes) }
    if (findsNothing(plan, plan.reasons)) return { rows: [], finders }
    const answer = await askDocuments<Answer>(plan, plant, carried => compileQuality(plan, carried), deps)
    return { rows: rowsOf(answer), finders }
  },
}

function rowsOf([machines, reasons, cells, shifts, runs, rejects, records]: Answer): readonly RecordRow[] {
  return machines.map((machine, i) => {
    const keys = { machine, reason: reasons[i] ?? 0, cell: cells[i] ?? 0, shift: shifts[i] ?? 0, run: runs[i] ?? 0 }
    const part = { keys, amount: rejects[i] ?? 0 }
    return { records: records[i] ?? 0, parts: [part] }
  })
}
