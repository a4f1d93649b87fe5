import { readReportedIncidents, type ReportedIncident } from '../../../clickhouse/projections/reported-incidents.ts'
import { absentId } from '../../../schema/groupings.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { runCooperatively, type Steps } from '../../../shared/async/steps.ts'
import type { CompanyView } from '../company/company-view.ts'
import type { QueryContext } from '../query/query.ts'
import type { ReportFilters, ReportRequest } from '../request/parse.ts'
import type { ProvisionalDeps } from '../sources/provisional-documents.ts'
import { type Dimensions, noDimensions, readDimensions } from './dimensions.ts'
import type { IncidentPlan } from './plan.ts'

/** An incident of a report, with what groups it. */
export interface MatchingIncident extends ReportedIncident, Dimensions {
  /** Its machine; null: it is of a connector or of the system. */
  readonly machineRef: MachineRef | null
}

interface Context {
  readonly request: Pick<ReportRequest, 'filters'>
  readonly plan: IncidentPlan
  readonly view: CompanyView
}

/** Limit of the incidents of a report: each is a row in memory. */
const maxIncidents = 200_000

/** Reads the incidents that began in the range and match the filters, by start and id. Rejects as reports do. */
export async function findMatching(
  context: Context,
  queries: QueryContext & ProvisionalDeps,
): Promise<readonly MatchingIncident[]> {
  const { plan, view } = context
  if (plan.matchesNothing) return []
  const { store, options } = queries
  const limited = { ...options, settings: { ...options.settings, max_result_rows: maxIncidents } }
  const range = { companyId: view.company.id, fromMs: plan.range.startMs, toMs: plan.range.endMs }
  const found = await readReportedIncidents(store, range, limited)
  const incidents = await runCooperatively(selectMatching(found, context))
  if (!plan.needsDimensions) return incidents
  return runCooperatively(selectOfTime(incidents, await readDimensions(incidents, view, queries), plan.filters))
}

function* selectMatching(
  found: readonly ReportedIncident[],
  { plan, request, view }: Context,
): Steps<MatchingIncident[]> {
  const refs = new Map(view.machines.map(({ id, ref }) => [id, ref]))
  const matching: MatchingIncident[] = []
  for (const incident of found) {
    yield
    // An id of a connector may be that of a machine.
    const isOther = incident.kind === 'connector' || incident.kind === 'system'
    const machineRef = isOther ? null : (refs.get(incident.subjectId) ?? null)
    if ((plan.machines?.has(machineRef ?? 0) ?? true) && matches(incident, request.filters))
      matching.push({ ...incident, machineRef, ...noDimensions })
  }
  return matching
}

function* selectOfTime(
  incidents: readonly MatchingIncident[],
  dimensions: ReadonlyMap<number, Dimensions>,
  filters: IncidentPlan['filters'],
): Steps<MatchingIncident[]> {
  const matching: MatchingIncident[] = []
  for (const [index, incident] of incidents.entries()) {
    yield
    const ofStart = dimensions.get(index) ?? noDimensions
    if (isOfTime(ofStart, filters)) matching.push({ ...incident, ...ofStart })
  }
  return matching
}

function matches({ ruleId, severity, kind, acknowledgedById }: ReportedIncident, filters: ReportFilters): boolean {
  const isIn = (ids: readonly string[] | undefined, id: string | null) => ids?.includes(id ?? absentId) ?? true
  return (
    isIn(filters.rule, ruleId) &&
    isIn(filters.severity, severity) &&
    isIn(filters.kind, kind) &&
    isIn(filters.acknowledgedBy, acknowledgedById)
  )
}

function isOfTime({ shift, operators }: Dimensions, filters: IncidentPlan['filters']): boolean {
  const signedIn = operators.length > 0 ? operators : [0]
  return (
    (filters.shifts?.includes(shift) ?? true) &&
    (filters.operators === null || signedIn.some(ref => filters.operators?.includes(ref)))
  )
}
