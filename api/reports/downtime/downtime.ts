import type { Carried } from '../sql.ts'
import { parseByReason } from '../parse.ts'
import { reasonFinder } from '../counted/reason.ts'
import type { RecordRow } from '../counted/groups.ts'
import { findsNothing } from '../counted/plan.ts'
import type { RecordReport } from '../counted/report.ts'
import type { ReportRequest } from '../request.ts'
import { askDocuments, type Asking, type RunDeps } from '../ask.ts'
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
    const compile = async (carried: Carried | null, isWhole: boolean) =>
      compileDowntime(isWhole ? await readFromDays(plan, deps) : plan, carried)
    const answer = await askDocuments<Answer>(scope, plant, compile, deps)
    return { rows: rowsOf(answer), finders }
  },
}

/** The plan with documents of days where the store has them for all machines. */
async function readFromDays(plan: DowntimePlan, { store, options, coverage }: RunDeps & Asking): Promise<DowntimePlan> {
  if (plan.shopDays.length === 0) return plan
  const { covered, stale } = await coverage.read(store, plan.company, plan.shopDays, options)
  const old = new Set(stale.map(({ startMs }) => startMs))
  return { ...plan, days: covered.filter(({ startMs }) => !old.has(startMs)) }
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
