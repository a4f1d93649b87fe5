import { sumsIn } from '../../../schema/formula.ts'
import { metrics } from '../../../schema/metrics.ts'
import type { Thresholds } from '../../../schema/records/thresholds.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { ProductionRequest } from '../request/request.ts'
import { type RunColumn, runColumns, type StandardName } from '../sums/standards.ts'
import { sumColumns } from '../sums/sum-columns.ts'
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

/** Sources of a standard, first that has it: the job run of the element, its machine, the company. */
export interface JobStandard {
  readonly name: StandardName
  /** Column of `job_runs` in which runs may have a value of their own; null: none has. */
  readonly runColumn: RunColumn | null
  /** Values of the machines that have one of their own, by ref. */
  readonly ofMachines: ReadonlyMap<number, number>
  readonly ofAll: number
}

/** Pure: the standards asked for. Runs and machines are named only where any record makes their values differ. */
function jobStandards(names: readonly StandardName[], view: CompanyView): readonly JobStandard[] {
  return [...new Set(names)].map(name => (isThreshold(name) ? threshold(name, view) : ofRun(name, view)))
}

export function isThreshold(name: StandardName): name is keyof Thresholds {
  return name !== 'multiplier' && !name.endsWith('_ms')
}

/** A time of 0 stands for none. */
function ofRun(name: Exclude<StandardName, keyof Thresholds>, { differs }: CompanyView): JobStandard {
  const isMultiplier = name === 'multiplier'
  const mayDiffer = !isMultiplier || differs.multipliers
  return { name, runColumn: mayDiffer ? name : null, ofMachines: new Map(), ofAll: isMultiplier ? 1 : 0 }
}

function threshold(name: keyof Thresholds, { company, machines, differs }: CompanyView): JobStandard {
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
