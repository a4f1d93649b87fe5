import { sumsIn } from '../../../schema/formula.ts'
import { metrics } from '../../../schema/metrics.ts'
import type { Thresholds } from '../../../schema/records/thresholds.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { FilterView } from '../company/job-runs.ts'
import type { ProductionRequest } from '../request/parse.ts'
import { type RunColumn, runColumns, type StandardName, sumColumns } from '../sums/sum-columns.ts'
import { planReport, type ReportPlan, shopDaysIn } from './plan.ts'

/**
 * Plan of a production report: one query; no instant of a machine is in two of its rows. Groups that overlap (machine
 * groups, operators) are formed of those rows afterwards, so that every level is computed from its own time.
 */
export interface ProductionPlan extends ReportPlan {
  readonly sums: readonly SumName[]
  readonly standards: readonly JobStandard[]
  /** No run's ref is higher. */
  readonly lastRun: number
  /** Ids of the reasons of downtime that are planned. */
  readonly plannedReasons: readonly number[]
}

/** Pure: plans the query of the request. */
export function planProduction(request: ProductionRequest, view: FilterView): ProductionPlan {
  const plan = planReport(request, view)
  // All time is always added up: it states whether a group exists.
  const sums = [...new Set<SumName>(['allMs', ...request.metrics.flatMap(name => sumsIn(metrics[name].formula))])]
  const standards = new Set<StandardName>(sums.flatMap(sum => sumColumns[sum].standards))
  return {
    ...plan,
    shopDays: request.groupBy.includes('hour') ? [] : shopDaysIn(plan.range, view.calendar),
    sums,
    standards: [...standards].map(name => standardOf(name, view)),
    lastRun: view.lastRun,
    plannedReasons: view.plannedReasons,
  }
}

/** Sources of a standard, first that has it: the job run of the element, its machine, the company. */
export interface JobStandard {
  readonly name: StandardName
  /** Column of `job_runs` with the values of runs; null: no run has a value. */
  readonly runColumn: RunColumn | null
  /** Values of machines by ref. */
  readonly ofMachines: ReadonlyMap<number, number>
  readonly ofAll: number
}

export function isThreshold(name: StandardName): name is keyof Thresholds {
  return name !== 'multiplier' && !name.endsWith('_ms')
}

/** A standard contains runs and machines only if their values differ. A time of 0 means none. */
function standardOf(name: StandardName, { company, machines, differs }: CompanyView): JobStandard {
  if (!isThreshold(name)) {
    const isMultiplier = name === 'multiplier'
    const mayDiffer = !isMultiplier || differs.multipliers
    return { name, runColumn: mayDiffer ? name : null, ofMachines: new Map(), ofAll: isMultiplier ? 1 : 0 }
  }
  const own = machines.flatMap(({ ref, thresholds: { [name]: value } }) =>
    typeof value === 'number' ? [[ref, value] as const] : [],
  )
  return {
    name,
    runColumn: differs.runThresholds ? runColumns[name] : null,
    ofMachines: new Map(differs.machineThresholds ? own : []),
    ofAll: company.settings.thresholds[name],
  }
}
