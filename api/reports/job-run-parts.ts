import type { JobRunParts } from '../../schema/requests/job-dispatch.ts'
import type { SumName } from '../../schema/sums.ts'
import type { CompanyView } from './company/company-view.ts'
import { root } from './fold/group-tree.ts'
import { type PipelineDeps, readTotals } from './pipeline.ts'
import { productionReport } from './production.ts'
import type { ProductionRequest } from './request/request.ts'

/** A machine's time in which a run counts. */
export interface RunTime {
  readonly companyId: string
  readonly machineId: string
  readonly startMs: number
  /** Infinity while it is open. */
  readonly endMs: number
}

/**
 * A report of a machine's parts within the time of a run. The machine has no other run in that time, so rows are not
 * grouped by run, and parts count before their documents contain the run.
 */
function partsRequest({ machineId, startMs, endMs }: RunTime): ProductionRequest {
  return {
    report: 'production',
    range: { form: 'instants', startMs, endMs },
    metrics: ['totalParts', 'goodParts', 'scrapParts', 'nonconformParts'],
    groupBy: [],
    filters: { machine: [machineId] },
    csv: false,
    flatten: false,
  }
}

/**
 * Counts the parts of a run up to now: whole ones, of which the total is the sum of the others. Multipliers may leave fractions of good
 * parts.
 */
export async function countParts(
  run: RunTime,
  view: CompanyView,
  deps: PipelineDeps,
  signal?: AbortSignal,
): Promise<JobRunParts> {
  const { folded } = await readTotals(productionReport, partsRequest(run), view, deps, signal)
  // Adding 0 makes -0 a 0.
  const whole = (name: SumName) => Math.round(folded.sums.get(name)?.[root] ?? 0) + 0
  const [goodParts, scrapParts, nonconformParts] = [whole('goodParts'), whole('scrapParts'), whole('nonconformParts')]
  return { totalParts: goodParts + scrapParts + nonconformParts, goodParts, scrapParts, nonconformParts }
}
