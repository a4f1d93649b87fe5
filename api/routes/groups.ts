import { accountRoutes } from './account.ts'
import { alertGapRoutes } from './alert-gaps.ts'
import { alertRuleTrialRoutes } from './alert-rule-trial.ts'
import { alertRoutes } from './alerts.ts'
import { annotationRoutes } from './annotations.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { auditRoutes } from './audit.ts'
import { connectorRoutes } from './connectors.ts'
import { connectorTrialRoutes } from './connector-trials.ts'
import { csvRoutes } from './csv.ts'
import { deadLetterRoutes } from './dead-letters.ts'
import { deliveryRoutes } from './deliveries.ts'
import { demoRoutes } from './demo.ts'
import { docsRoutes } from './docs.ts'
import { downtimeReasonRoutes } from './downtime-reasons.ts'
import { downtimeRecordRoutes } from './downtime-records.ts'
import { graphqlRoutes } from './graphql.ts'
import { incidentAssigneeRoutes } from './incident-assignees.ts'
import { incidentRoutes } from './incidents.ts'
import { ingestRoutes } from './ingest.ts'
import { jobDispatchRoutes } from './job-dispatch.ts'
import { jobImportRoutes } from './job-import.ts'
import { jobOperationRoutes } from './job-operations.ts'
import { jobRunRoutes } from './job-runs.ts'
import { machineStateRoutes, machineTimelineRoutes } from './machine-timeline.ts'
import { machineGroupRoutes, machineRoutes } from './machines.ts'
import { operatorRoutes, operatorRunRoutes } from './operators.ts'
import { openIdRoutes } from './openid.ts'
import { partAdjustmentRoutes, partAdjustmentTypeRoutes } from './part-adjustments.ts'
import { recomputeRoutes } from './recomputes.ts'
import { reportRoutes } from './reports.ts'
import { scheduleRoutes } from './schedules.ts'
import { serviceRoutes } from './service.ts'
import { sessionRoutes } from './session.ts'
import { setUpRoutes } from './set-up.ts'
import { settingsRoutes } from './settings.ts'
import { userRoutes } from './users.ts'
import type { Route, RouteGroup } from '../http/route.ts'

/** Every route of the service, in the order of the document. `document`: the route of the document itself. */
export function routeGroups(document: Route<unknown>) {
  return [
    {
      tag: 'Account',
      description: 'The caller, and tokens for a key or a session',
      routes: [...accountRoutes],
    },
    {
      tag: 'Sessions',
      description: 'Sign-in, sign-out and the first-time setup',
      routes: [...sessionRoutes, ...openIdRoutes, ...setUpRoutes],
    },
    { tag: 'Users', description: 'People who may sign in', routes: [...userRoutes] },
    { tag: 'API keys', description: 'Credentials of programs', routes: [...apiKeyRoutes] },
    { tag: 'Audit', description: 'Changes of records', routes: [...auditRoutes] },
    { tag: 'Settings', description: 'Settings of the company', routes: [...settingsRoutes] },
    {
      tag: 'Machines',
      description: 'Machines and their groups',
      // `/machines/states` before `/machines/{id}`.
      routes: [...machineStateRoutes, ...machineRoutes, ...machineTimelineRoutes, ...machineGroupRoutes],
    },
    {
      tag: 'Connectors',
      description: 'Sources of samples that Takt reads',
      routes: [...connectorTrialRoutes, ...connectorRoutes],
    },
    {
      tag: 'Alerts',
      description: 'Rules that open incidents, and their targets',
      routes: [...alertRuleTrialRoutes, ...alertRoutes, ...alertGapRoutes, ...deliveryRoutes],
    },
    {
      tag: 'Incidents',
      description: 'What alert rules have found',
      routes: [...incidentRoutes, ...incidentAssigneeRoutes],
    },
    { tag: 'Schedules', description: 'Planned working times of machines', routes: [...scheduleRoutes] },
    {
      tag: 'Operators',
      description: 'Operators, and their sign-ins on machines',
      routes: [...operatorRoutes, ...operatorRunRoutes],
    },
    {
      tag: 'Downtime',
      description: 'Stops, their reasons, and the annotations that assign them',
      routes: [...downtimeReasonRoutes, ...downtimeRecordRoutes, ...annotationRoutes],
    },
    {
      tag: 'Part adjustments',
      description: 'Rejects and corrections of parts',
      routes: [...partAdjustmentTypeRoutes, ...partAdjustmentRoutes],
    },
    {
      tag: 'Jobs',
      description: 'Job operations and their runs, reported by an ERP',
      routes: [...jobOperationRoutes, ...jobDispatchRoutes, ...jobRunRoutes, ...jobImportRoutes],
    },
    { tag: 'Samples', description: 'Data from machines', routes: [...ingestRoutes, ...deadLetterRoutes] },
    {
      tag: 'Reports',
      description: 'Reports, and their files',
      routes: [...reportRoutes, ...csvRoutes],
    },
    { tag: 'GraphQL', description: 'Queries about the plant', routes: [...graphqlRoutes] },
    { tag: 'Simulated plant', description: 'Demonstration data', routes: [...demoRoutes] },
    { tag: 'Recomputes', description: 'Recomputation of all data', routes: [...recomputeRoutes] },
    { tag: 'Service', description: 'State of the service', routes: [...serviceRoutes] },
    { tag: 'Documentation', description: 'The API reference and the guides', routes: [...docsRoutes, document] },
  ] as const satisfies readonly RouteGroup[]
}
