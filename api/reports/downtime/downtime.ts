import { parseByReason } from '../parse.ts'
import { reasonFinder } from '../reason.ts'
import type { RecordRow } from '../record-groups.ts'
import { findsNothing } from '../record-plan.ts'
import type { RecordReport } from '../record-report.ts'
import type { ReportRequest } from '../request.ts'
import { askDocuments } from '../run.ts'
import { compileDowntime } from './compile.ts'
import { type DowntimePlan, planDowntime } from './plan.ts'

type Place = readonly [cell: number, shift: number, run: number]
type Answer = [machine: number[], reason: number[], parts: Place[][], lengths: number[][], records: number[]]

/** `POST /reports/downtime`. */
export const downtimeReport: RecordReport<ReportRequest, DowntimePlan> = {
  name: 'downtime',
  parse: body => parseByReason('downtime', body),
  values: () => ['downtimeMs', 'recordCount'],
  plan: planDowntime,
  async read(plan, plant, deps) {
    const finders = { reason: reasonFinder(plant.reasons) }
    if (findsNothing(plan, plan.reasons)) return { rows: [], finders }
    const scope = { ...plan, range: plan.readRange }
    const answer = await askDocuments<Answer>(scope, plant, carried => compileDowntime(plan, carried), deps)
    return { rows: rowsOf(answer), finders }
  },
}

function rowsOf([machines, reasons, parts, lengths, records]: Answer): readonly RecordRow[] {
  return machines.map((machine, i) => ({
    machine,
    records: records[i] ?? 0,
    parts: (parts[i] ?? []).map(([cell, shift, run], j) => ({
      keys: { machine, reason: reasons[i] ?? 0, cell, shift, run },
      amount: lengths[i]?.[j] ?? 0,
    })),
  }))
}
