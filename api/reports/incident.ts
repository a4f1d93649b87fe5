import { eventMetrics, type IncidentMetricName } from '../../schema/event-metrics.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { eventColumns, eventValues } from './present/event-values.ts'
import type { EventTypes, RecordReport } from './report.ts'
import { parseIncident, type ReportRequest } from './request/parse.ts'
import { groupByProperties, machineResolver } from './incidents/groups.ts'
import { type IncidentPlan, planIncidents } from './incidents/plan.ts'
import { findMatching } from './incidents/read.ts'
import { incidentRows } from './incidents/rows.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names
const names = Object.keys(eventMetrics.incident) as readonly IncidentMetricName[]

/** `POST /reports/incident`: times to acknowledge and to resolve the incidents that began in the range. */
export const incidentReport: RecordReport<EventTypes<ReportRequest, IncidentPlan>> = {
  name: 'incident',
  parse: parseIncident,
  plan: planIncidents,
  async read(context, queries) {
    const incidents = await findMatching(context, queries)
    const groups = await runCooperatively(groupByProperties(incidents))
    const { incident, rule, severity, kind, acknowledgedBy } = groups
    return {
      rows: await runCooperatively(incidentRows(incidents, groups, context.view.nowMs)),
      entityResolvers: {
        machine: machineResolver,
        incident: incident.resolver,
        rule: rule.resolver,
        severity: severity.resolver,
        kind: kind.resolver,
        acknowledgedBy: acknowledgedBy.resolver,
      },
    }
  },
  values: (_, folded) => eventValues('incident', folded, names),
  columns: () => eventColumns('incident', names),
}
