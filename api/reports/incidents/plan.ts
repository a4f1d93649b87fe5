import { absentId } from '../../../schema/groupings.ts'
import type { FilterView } from '../company/job-runs.ts'
import { machineChoice, planReport, type ReportPlan } from '../plan/plan.ts'
import type { ReportFilters, ReportRequest } from '../request/parse.ts'

export interface IncidentPlan extends ReportPlan {
  /** Refs of machines, 0: incidents of connectors and of the system; null: all. */
  readonly machines: ReadonlySet<number> | null
  /** Whether the shift and the operators at the start of an incident matter. */
  readonly needsDimensions: boolean
}

/** Pure: plans the reads of the request. */
export function planIncidents(request: ReportRequest, view: FilterView): IncidentPlan {
  const { filters, groupBy } = request
  const { shift, operator } = filters
  const ofTime = { ...(shift && { shift }), ...(operator && { operator }) }
  return {
    ...planReport({ ...request, filters: ofTime }, view),
    machines: machinesOf(filters, view),
    needsDimensions: shift !== undefined || operator !== undefined || groupBy.some(isDimension),
  }
}

function isDimension(name: string): boolean {
  return name === 'shift' || name === 'operator'
}

function machinesOf(filters: ReportFilters, view: FilterView): ReadonlySet<number> | null {
  const { only } = machineChoice(view, filters, {})
  const isOther = [filters.machine, filters.machineGroup].every(ids => ids?.includes(absentId) ?? true)
  return only && new Set<number>([...only, ...(isOther ? [0] : [])])
}
