import { sumsIn } from '../../../schema/formula.ts'
import { metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { ProductionRequest } from '../request/request.ts'
import { sumColumns } from '../sums/sum-columns.ts'
import { type JobStandard, jobStandards } from './job-standards.ts'
import { planReport, type ReportPlan, shopDaysIn } from './plan.ts'

/**
 * How a production report is answered: one query, whose rows no instant of a machine shares with another. Groups that overlap (machine
 * groups, operators) are formed of those rows afterwards, so that every level is computed from its own time.
 */
export interface ProductionPlan extends ReportPlan {
  readonly sums: readonly SumName[]
  /** Job standards that the sums read. */
  readonly standards: readonly JobStandard[]
  /** No run's ref is higher. */
  readonly lastRun: number
  /** Ids of the reasons of downtime that are planned. */
  readonly plannedReasons: readonly number[]
}

/** Pure: plans the query of the request. */
export function planProduction(request: ProductionRequest, view: CompanyView): ProductionPlan {
  const plan = planReport(request, view)
  const sums = sumsOf(request)
  return {
    ...plan,
    shopDays: request.groupBy.includes('hour') ? [] : shopDaysIn(plan.range, view.calendar),
    sums,
    standards: jobStandards(
      sums.flatMap(sum => sumColumns[sum].standards),
      view,
    ),
    lastRun: view.lastRun,
    plannedReasons: view.plannedReasons,
  }
}

/** All time is always added up: it says whether a group is there. */
function sumsOf({ metrics: names }: ProductionRequest): readonly SumName[] {
  return [...new Set<SumName>(['allMs', ...names.flatMap(name => sumsIn(metrics[name].formula))])]
}
