import type { Role } from '../../schema/roles.ts'
import type { Scope } from '../../schema/scopes.ts'

/**
 * The allowed callers of a route: all, any key or user, callers with one or all of the scopes (optionally by a token only), or only
 * users with a role.
 */
export type Rule =
  | 'public'
  | 'any key'
  | { readonly oneOf: readonly Scope[]; readonly by?: 'token' }
  | { readonly allOf: readonly Scope[] }
  | { readonly roles: readonly Role[] }

const machineRead: Rule = { oneOf: ['machine.read'] }
const machines: Rule = { oneOf: ['machine.read', 'reporting'] }
const machine: Rule = { oneOf: ['machine'] }
const connectorRead: Rule = { oneOf: ['connector.read'] }
const connector: Rule = { oneOf: ['connector'] }
const alertRead: Rule = { oneOf: ['alert.read'] }
const alert: Rule = { oneOf: ['alert'] }
const incidentRead: Rule = { oneOf: ['incident.read'] }
const incident: Rule = { oneOf: ['incident'] }
const operator: Rule = { oneOf: ['operator'] }
const annotationRead: Rule = { oneOf: ['annotation.read'] }
const annotation: Rule = { oneOf: ['annotation'] }
const partAdjustment: Rule = { allOf: ['part-adjustment', 'reporting'] }
const erpRead: Rule = { oneOf: ['erp.read'] }
const erp: Rule = { oneOf: ['erp'] }
const reporting: Rule = { oneOf: ['reporting'] }
/** A cookie is not accepted. */
const reportingByToken: Rule = { oneOf: ['reporting'], by: 'token' }
const ingest: Rule = { oneOf: ['ingest.activity', 'system.gateway'] }
const managers: Rule = { roles: ['it_admin', 'executive'] }
const users: Rule = { roles: ['it_admin', 'executive', 'manager', 'operator'] }

/** The decided callers of each route, independent of the declarations of the routes. */
export const rules: Readonly<Record<string, Rule>> = {
  'GET /health': 'public',
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
  'GET /metrics': 'public',
  'GET /docs': 'public',
  'GET /docs/guides': 'public',
  'GET /docs/guides/:name': 'public',
  'GET /openapi.json': 'public',

  'POST /session': 'public',
  'GET /session/ways': 'public',
  'POST /session/openid/start': 'public',
  'POST /session/openid': 'public',
  'POST /session/openid/link': users,
  'POST /session/openid/link/start': users,
  'DELETE /session/identity': users,
  'DELETE /users/:id/identity': managers,
  'GET /settings/sign-on': managers,
  'PUT /settings/sign-on': managers,
  'POST /set-up': 'public',
  'POST /set-up/check': 'public',
  'GET /session': users,
  'DELETE /session': users,
  'PUT /session/password': users,
  'GET /users': managers,
  'POST /users': managers,
  'PATCH /users/:id': managers,
  'DELETE /users/:id': managers,
  'GET /api-keys': managers,
  'POST /api-keys': managers,
  'PATCH /api-keys/:id': managers,
  'DELETE /api-keys/:id': managers,
  'GET /accounts/current': 'any key',
  'GET /user-token': 'any key',
  'GET /audit': machine,

  'GET /settings': machineRead,
  'PUT /settings': machine,
  'GET /machines': machines,
  'GET /machines/:id': machines,
  'GET /machines/:id/timeline': reporting,
  'POST /machines/states': machines,
  'GET /machines/:id/metrics': machines,
  'GET /machines/:id/metric-values': machines,
  'PUT /machines/:id': machine,
  'DELETE /machines/:id': machine,
  'GET /schedules': machineRead,
  'GET /schedules/:id': machineRead,
  'PUT /schedules/:id': machine,
  'DELETE /schedules/:id': machine,
  'GET /machine-groups': machineRead,
  'GET /machine-groups/:id': machineRead,
  'PUT /machine-groups/:id': machine,
  'DELETE /machine-groups/:id': machine,

  'GET /connectors': connectorRead,
  'GET /connectors/:id': connectorRead,
  'PUT /connectors/:id': connector,
  'DELETE /connectors/:id': connector,
  'POST /connectors/discover': connector,
  'POST /connectors/preview': connector,
  'POST /connectors/try': connector,
  'GET /alert-rules': alertRead,
  'GET /alert-rules/:id': alertRead,
  'PUT /alert-rules/:id': alert,
  'DELETE /alert-rules/:id': alert,
  'POST /alert-rules/try': alert,
  'GET /alert-targets': alertRead,
  'GET /alert-targets/:id': alertRead,
  'PUT /alert-targets/:id': alert,
  'POST /alert-targets/:id/rotate-secret': alert,
  'DELETE /alert-targets/:id': alert,
  'GET /alert-pauses': alertRead,
  'GET /alert-pauses/:id': alertRead,
  'PUT /alert-pauses/:id': alert,
  'DELETE /alert-pauses/:id': alert,
  'GET /deliveries': alertRead,
  'GET /alert-gaps': alertRead,

  'GET /incidents': incidentRead,
  'GET /incidents/:id': incidentRead,
  'POST /incidents/:id/acknowledge': incident,
  'POST /incidents/:id/assign': incident,
  'POST /incidents/:id/comment': incident,
  'POST /incidents/:id/resolve': incident,
  'POST /calls': incident,
  'GET /incident-assignees': { oneOf: ['incident', 'alert'] },

  'GET /operators': operator,
  'GET /operators/:id': operator,
  'PUT /operators/:id': operator,
  'DELETE /operators/:id': operator,
  'GET /operator-runs': operator,
  'POST /operator-runs': operator,
  'POST /operator-runs/:id/end': operator,

  'GET /downtime-reasons': annotationRead,
  'POST /downtime-reasons': annotation,
  'PUT /downtime-reasons/:id': annotation,
  'DELETE /downtime-reasons/:id': annotation,
  'GET /downtime-records': { oneOf: ['annotation.read', 'reporting'] },
  'GET /downtime-records/microstops': { oneOf: ['annotation.read', 'reporting'] },
  'POST /downtime-records/categorize': annotation,
  'POST /downtime-records/split': annotation,
  'POST /downtime-records/merge': annotation,
  'GET /annotations': annotationRead,
  'POST /annotations': annotation,
  'PUT /annotations/:id': annotation,
  'DELETE /annotations/:id': annotation,

  'GET /part-adjustment-types': partAdjustment,
  'POST /part-adjustment-types': partAdjustment,
  'PUT /part-adjustment-types/:id': partAdjustment,
  'DELETE /part-adjustment-types/:id': partAdjustment,
  'GET /part-adjustments': partAdjustment,
  'POST /part-adjustment': partAdjustment,
  'PUT /part-adjustment/:id': partAdjustment,
  'DELETE /part-adjustment/:id': partAdjustment,

  'GET /job-operations': erpRead,
  'GET /job-operations/:id': erpRead,
  'PUT /job-operations/:id': erp,
  'DELETE /job-operations/:id': erp,
  'POST /erp/jobdispatch/start': erp,
  'POST /erp/jobdispatch/stop': erp,
  'POST /erp/jobdispatch/production': erp,
  'GET /erp/jobdispatch': erpRead,
  'GET /erp/jobdispatch/:id': erpRead,
  'POST /jobs/import': erp,
  'POST /jobs/import/preview': erp,
  'GET /job-runs': erpRead,
  'GET /dead-letters': machine,
  'POST /dead-letters/replay': machine,
  'GET /demo': { oneOf: ['machine.read', 'reporting'] },
  'POST /demo/leave': { allOf: ['machine', 'annotation', 'part-adjustment', 'operator', 'erp', 'reporting'] },

  'POST /ingest/samples': ingest,
  'POST /graphql': reportingByToken,
  'GET /graphql': reportingByToken,
  'POST /v1/graphql': reportingByToken,
  'GET /v1/graphql': reportingByToken,
  'POST /proxy/graphql': reportingByToken,
  'GET /proxy/graphql': reportingByToken,
  'POST /reports/production': reporting,
  'POST /reports/production/explanation': reporting,
  'POST /reports/downtime': reporting,
  'POST /reports/quality': reporting,
  'POST /reports/alarm': reporting,
  'POST /reports/alarm/instances': reporting,
  'POST /reports/incident': reporting,
  'POST /reports/cycle-times': reporting,
  'GET /csv/production/:id': reporting,
  'GET /csv/downtime/:id': reporting,
  'GET /csv/quality/:id': reporting,
  'GET /csv/alarm/:id': reporting,
  'GET /csv/alarm/instances/:id': reporting,
  'GET /csv/incident/:id': reporting,

  'GET /recomputes': machineRead,
  'POST /recomputes': machine,
}
