import type { TimeRange } from '../../processors/calendar/types.ts'
import type { JobRunParts } from '../../schema/requests/job-dispatch.ts'
import type { SumName } from '../../schema/sums.ts'
import { type PipelineDeps, readColumns } from './pipeline.ts'
import type { Circumstances } from './plan/plan.ts'
import { productionReport } from './production.ts'
import type { ProductionRequest } from './request/request.ts'
import { explained } from './run/too-large.ts'
import { askingFor } from './ask/asking.ts'
import { fold } from './fold/fold.ts'
import { root } from './fold/group-tree.ts'

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
export function partsRequest(machineId: string, { startMs, endMs }: TimeRange): ProductionRequest {
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
 * The parts that such a report counts: whole ones, of which the total is the sum of the others. Multipliers may leave fractions of good
 * parts.
 */
export async function countParts(
  request: ProductionRequest,
  circumstances: Circumstances,
  deps: PipelineDeps,
  signal?: AbortSignal,
): Promise<JobRunParts> {
  const plan = productionReport.plan(request, circumstances)
  const asking = askingFor(deps, { companyRef: plan.companyRef, report: 'production' }, signal)
  const columns = await explained(
    readColumns(productionReport, { plan, view: circumstances.view }, { ...deps, ...asking }),
  )
  const { sums } = fold(productionReport.rows(plan, columns), [])
  // Adding 0 makes -0 a 0.
  const whole = (name: SumName) => Math.round(sums.get(name)?.[root] ?? 0) + 0
  const [goodParts, scrapParts, nonconformParts] = [whole('goodParts'), whole('scrapParts'), whole('nonconformParts')]
  return { totalParts: goodParts + scrapParts + nonconformParts, goodParts, scrapParts, nonconformParts }
}
