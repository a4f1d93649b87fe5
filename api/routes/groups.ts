import { accountRoutes } from './account.ts'
import { annotationRoutes } from './annotations.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { auditRoutes } from './audit.ts'
import { csvRoutes } from './csv.ts'
import { deadLetterRoutes } from './dead-letters.ts'
import { demoRoutes } from './demo.ts'
import { docsRoutes } from './docs.ts'
import { downtimeReasonRoutes } from './downtime-reasons.ts'
import { downtimeRecordRoutes } from './downtime-records.ts'
import { graphqlRoutes } from './graphql.ts'
import { ingestRoutes } from './ingest.ts'
import { jobDispatchRoutes } from './job-dispatch.ts'
import { jobImportRoutes } from './job-import.ts'
import { jobOperationRoutes } from './job-operations.ts'
import { jobRunRoutes } from './job-runs.ts'
import { machineGroupRoutes } from './machine-groups.ts'
import { machineRoutes } from './machines.ts'
import { machineTimelineRoutes } from './machine-timeline.ts'
import { operatorRunRoutes } from './operator-runs.ts'
import { openIdRoutes } from './openid.ts'
import { operatorRoutes } from './operators.ts'
import { partAdjustmentTypeRoutes } from './part-adjustment-types.ts'
import { partAdjustmentRoutes } from './part-adjustments.ts'
import { recomputeRoutes } from './recomputes.ts'
import { reportRoutes } from './reports.ts'
import { scheduleRoutes } from './schedules.ts'
import { serviceRoutes } from './service.ts'
import { sessionRoutes } from './session.ts'
import { setUpRoutes } from './set-up.ts'
import { settingsRoutes } from './settings.ts'
import { signOnRoutes } from './sign-on.ts'
import { userTokenRoutes } from './user-token.ts'
import { userRoutes } from './users.ts'
import type { Route, RouteGroup } from '../http/route.ts'

/** Every route of the service, in the order of the document. `document`: the route of the document itself. */
export function routeGroups(document: Route<unknown>) {
  return [
    {
      tag: 'Account',
      description: 'Who asks, and tokens that stand for a key or a session',
      routes: [...accountRoutes, ...userTokenRoutes],
    },
    {
      tag: 'Sessions',
      description: 'Signing in and out, and the first set-up',
      routes: [...sessionRoutes, ...openIdRoutes, ...setUpRoutes],
    },
    { tag: 'Users', description: 'Who may sign in', routes: [...userRoutes] },
    { tag: 'API keys', description: 'What programs are let in with', routes: [...apiKeyRoutes] },
    { tag: 'Audit', description: 'Who changed what', routes: [...auditRoutes] },
    { tag: 'Settings', description: 'Of the company', routes: [...settingsRoutes, ...signOnRoutes] },
    {
      tag: 'Machines',
      description: 'Machines and their groups',
      routes: [...machineRoutes, ...machineTimelineRoutes, ...machineGroupRoutes],
    },
    { tag: 'Schedules', description: 'When machines are to work', routes: [...scheduleRoutes] },
    {
      tag: 'Operators',
      description: 'Operators, and when they are at which machine',
      routes: [...operatorRoutes, ...operatorRunRoutes],
    },
    {
      tag: 'Downtime',
      description: 'Stops, their reasons, and the annotations that give them',
      routes: [...downtimeReasonRoutes, ...downtimeRecordRoutes, ...annotationRoutes],
    },
    {
      tag: 'Part adjustments',
      description: 'Rejects and corrections of parts',
      routes: [...partAdjustmentTypeRoutes, ...partAdjustmentRoutes],
    },
    {
      tag: 'Jobs',
      description: 'Job operations and their runs, as an ERP tells them',
      routes: [...jobOperationRoutes, ...jobDispatchRoutes, ...jobRunRoutes, ...jobImportRoutes],
    },
    { tag: 'Samples', description: 'What machines send', routes: [...ingestRoutes, ...deadLetterRoutes] },
    {
      tag: 'Reports',
      description: 'Reports, and the files that they are kept as',
      routes: [...reportRoutes, ...csvRoutes],
    },
    { tag: 'GraphQL', description: 'Queries about the plant', routes: [...graphqlRoutes] },
    { tag: 'Simulated plant', description: 'What there is to see at first', routes: [...demoRoutes] },
    { tag: 'Recomputes', description: 'Making everything again', routes: [...recomputeRoutes] },
    { tag: 'Service', description: 'How the service is', routes: [...serviceRoutes] },
    { tag: 'Documentation', description: 'This interface and the guides', routes: [...docsRoutes, document] },
  ] as const satisfies readonly RouteGroup[]
}
