import { type GroupingName, isTimeGrouping } from '../../../schema/groupings.ts'
import { sumsIn } from '../../../schema/formula.ts'
import { metrics } from '../../../schema/metrics.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { TimeRange } from '../../../processors/calendar/types.ts'
import {
  bucketsOf,
  cellsOf,
  type Circumstances,
  type Keys,
  refFilters,
  type ReportPlan,
  shopDaysIn,
  machineGroupSetsOf,
} from '../plan.ts'
import type { CompanyView } from '../company-view.ts'
import { type SplitRange, splitRange, usedRange } from '../range.ts'
import type { ProductionRequest } from '../request.ts'
import { mostRuns } from '../job-run-lookup.ts'
import { sumColumns } from './sum-columns.ts'
import { type JobStandards, standardColumns } from './standard-columns.ts'

/**
 * How a report is answered: one query, whose rows no instant of a machine shares with another. Groups that overlap (machine
 * groups, operators) are formed of those rows afterwards, so that every level is computed from its own time.
 */
export interface Plan extends ReportPlan {
  /** Shop days that lie wholly in the range and are over: read from documents of days where there are any. Ascending. */
  readonly shopDays: readonly TimeRange[]
  readonly split: SplitRange
  /** Machines for which a day of `split` is read from hours all the same: their documents of that day are being made again. */
  readonly staleDays: readonly StaleDay[]
  readonly sums: readonly SumName[]
  readonly standards: JobStandards
  /** See `job-run-lookup.ts`. */
  readonly isDense: boolean
  readonly plannedReasons: readonly number[]
}

export interface StaleDay {
  readonly day: TimeRange
  /** Refs. */
  readonly machines: readonly number[]
}

/** Pure: what has to be asked of the store for the request. */
export function planProduction(request: ProductionRequest, { view, calendar, nowMs }: Circumstances): Plan {
  const range = usedRange(request.range, { calendar, nowMs, byHour: request.groupBy.includes('hour') })
  const sums = sumsOf(request)
  const buckets = bucketsOf(request.groupBy, calendar, range)
  return {
    company: view.company.ref,
    range,
    shopDays: request.groupBy.includes('hour') ? [] : shopDaysIn(range, calendar),
    split: splitRange(range),
    staleDays: [],
    keys: keysOf(request.groupBy, view),
    filters: refFilters(request.filters, view),
    sums,
    standards: standardColumns(
      sums.flatMap(sum => sumColumns[sum].standards),
      view,
    ),
    isDense: view.lastRun <= mostRuns,
    buckets,
    cellsMs: cellsOf([...buckets.values()]),
    plannedReasons: view.plannedReasons,
  }
}

/** All time is always added up: it says whether a group is there. */
function sumsOf({ metrics: names }: ProductionRequest): readonly SumName[] {
  return [...new Set<SumName>(['allMs', ...names.flatMap(name => sumsIn(metrics[name].formula))])]
}

function keysOf(groupBy: readonly GroupingName[], view: CompanyView): Keys {
  const byMachine = groupBy.includes('machine')
  const bySets = groupBy.includes('machineGroup') && !byMachine
  return {
    cell: groupBy.some(isTimeGrouping),
    machine: byMachine ? 'yes' : bySets ? 'set' : 'no',
    shift: groupBy.includes('shift'),
    run: groupBy.includes('jobOperationRun'),
    operation: groupBy.includes('jobOperation'),
    operators: groupBy.includes('operator'),
    machineGroupSets: bySets ? machineGroupSetsOf(view) : new Map(),
  }
}
